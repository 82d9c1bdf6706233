// SPDX-License-Identifier: GPL-2.0
// ReadLog.java: a log (stdin) as HdrHistogram's own library reads it. Of each histogram a line "log TAG START LENGTH DIGITS N", lines
// "slot LO HI N", and its percentile distribution as the library writes it, each line behind "hgrm ".
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;

public class ReadLog {
	public static void main(String[] args) throws Exception {
		HistogramLogReader reader = new HistogramLogReader(System.in);
		for (EncodableHistogram read; (read = reader.nextIntervalHistogram()) != null; ) {
			Histogram h = (Histogram) read;
			System.out.println("log " + (h.getTag() == null ? "-" : h.getTag()) + " " + h.getStartTimeStamp() + " " +
				(h.getEndTimeStamp() - h.getStartTimeStamp()) + " " + h.getNumberOfSignificantValueDigits() + " " + h.getTotalCount());
			for (HistogramIterationValue v : h.recordedValues())
				System.out.println("slot " + h.lowestEquivalentValue(v.getValueIteratedTo()) + " " +
					h.highestEquivalentValue(v.getValueIteratedTo()) + " " + v.getCountAtValueIteratedTo());
			ByteArrayOutputStream text = new ByteArrayOutputStream();
			h.outputPercentileDistribution(new PrintStream(text), 5, 1.0);
			System.out.print(text.toString().replaceAll("(?m)^", "hgrm ").replaceAll("hgrm \\z", ""));
		}
	}
}
