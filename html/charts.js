// SPDX-License-Identifier: GPL-2.0
/*
 * charts.js: elements of the page, and its charts. ECharts draws as SVG, with colours that are the style sheet's, so that light,
 * dark and paper need no drawing anew. What is under the mouse is told by one box for all charts, with exact numbers.
 *
 * No text becomes HTML: all of it goes through text nodes.
 */
"use strict";

/* An element: what begins with "on" is a listener, null is left out. */
function h(name, attributes, ...children) {
	const e = document.createElement(name);

	for (const [key, v] of Object.entries(attributes ?? {})) {
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), v);
		else if (v !== null && v !== undefined && v !== false)
			e.setAttribute(key, v === true ? "" : v);
	}
	e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
	return e;
}

/* A number as people read it, which has its digits with it. */
function number(exactly, text, title) {
	return h("data", { value: String(exactly), title }, text);
}

/* ---- the box beside the mouse ---- */

const TIP = h("div", { class: "tip", role: "status", hidden: true });

/* Lines of [what, number]; null hides it. */
function tell(lines, event) {
	TIP.hidden = !lines;
	if (!lines)
		return;
	TIP.replaceChildren(...lines.map(([what, text]) => h("div", null, h("span", null, what), h("b", null, text))));
	const width = TIP.offsetWidth, height = TIP.offsetHeight;
	const left = event.clientX + 16 + width > innerWidth ? event.clientX - 16 - width : event.clientX + 16;

	TIP.style.left = Math.max(4, left) + "px";
	TIP.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - height - 4)) + "px";
}

/* ---- what all charts have in common ---- */

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const LABEL = { color: "var(--dim)", fontFamily: FONT, fontSize: 11 };
const living = new Map();	/* boxes in the page, and their charts */
const sizes = new ResizeObserver(all => all.forEach(({ target }) => living.get(target)?.resize()));

/* `at(x, y)` gives the lines of the box at a place on the axes, or null. */
function draw(box, what, option, at, onclick) {
	const chart = echarts.init(box, null, { renderer: "svg" });
	const where = e => chart.containPixel("grid", [e.offsetX, e.offsetY]) ?
		chart.convertFromPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY]) : null;

	box.setAttribute("role", "img");
	box.setAttribute("aria-label", what);
	chart.setOption({
		animation: false, ...option,
		grid: { left: option.yAxis.room, right: 16, top: 28, bottom: 26, outerBoundsMode: "none" },
	});
	chart.getZr().on("mousemove", e => {
		const place = where(e);

		tell(place && at(...place), e.event);
	});
	chart.getZr().on("globalout", () => tell(null));
	if (onclick)
		chart.getZr().on("click", e => where(e) && onclick(...where(e)));
	living.set(box, chart);
	sizes.observe(box);
	return chart;
}

function forget(root) {
	for (const [box, chart] of living) {
		if (!root.contains(box))
			continue;
		sizes.unobserve(box);
		chart.dispose();
		living.delete(box);
	}
	tell(null);
}

/* On paper a chart is as wide as its column there. */
addEventListener("beforeprint", () => living.forEach(c => c.resize({ width: 660 })));
addEventListener("afterprint", () => living.forEach(c => c.resize({ width: "auto" })));

/* An axis whose marks are given: [[place, text], ...]. */
function axis(name, from, to, marked, more) {
	const places = marked.map(([place]) => place), texts = new Map(marked);

	return {
		room: Math.max(48, 14 + 6.5 * Math.max(0, ...marked.map(([, text]) => text.length))),	/* what its labels take, as a y axis */
		type: "value", min: from, max: to, name, nameTextStyle: LABEL,
		axisLine: { show: true, onZero: false, lineStyle: { color: "var(--line)" } },
		axisTick: { show: true, customValues: places, lineStyle: { color: "var(--line)" } },
		axisLabel: { ...LABEL, customValues: places, hideOverlap: true, formatter: place => texts.get(place) ?? "" },
		splitLine: { show: true, lineStyle: { color: "var(--grid)" } },
		axisPointer: { show: true, triggerTooltip: false, label: { show: false }, lineStyle: { color: "var(--dim)", type: "dashed" } },
		...more,
	};
}

function valueAxis(name, { from, to }, unit, more) {
	return axis(name, from, to, marks(from, to, unit).map(v => [position(v), value(v, unit)]), more);
}

/* From these slots' first to their last, with some air; never so narrow that a single one looks like all there is. */
function span(slots) {
	let from = Math.min(...slots.map(s => s.from)), to = Math.max(...slots.map(s => s.to));
	const air = Math.max((to - from) * 0.03, (4 - (to - from)) / 2);

	to = Math.min(64, Math.max(to + air, from - air + 4, 3));
	from = Math.max(-1, Math.min(from - air, to - 4));
	return { from, to };
}

/* Rectangles from [x0, y0] to [x1, y1] of the axes; `style` may differ by their number. */
function boxes(rectangles, style) {
	return {
		type: "custom", data: rectangles, encode: { x: [0, 2], y: [1, 3] }, clip: true, silent: true,
		renderItem: ({ dataIndex }, api) => {
			const [x0, y0] = api.coord([api.value(0), api.value(1)]), [x1, y1] = api.coord([api.value(2), api.value(3)]);
			const gap = x1 - x0 > 6 ? 1 : 0;	/* between neighbours, where there is room */

			return {
				type: "rect", emphasisDisabled: true, style: style(dataIndex),
				shape: { x: x0, y: Math.min(y1, y0 - 1), width: Math.max(x1 - x0 - gap, 1), height: Math.max(y0 - y1, 1) },
			};
		},
	};
}

/* ---- the charts ---- */

const range = (s, unit) => s.lo === s.hi ? exact(s.lo, unit) : `${digits(s.lo)} to ${exact(s.hi, unit)}`;

function slotLines(s, total, unit) {
	return [["values", range(s, unit)], ["count", digits(s.n)], ["share", percent(share(s.n, total))],
		["mean", s.mean === null ? "unknown" : exact(s.mean, unit)]];
}

/* Bars over the values, each as wide as its slot. */
function drawHistogram(box, slots, unit, over, logarithmic) {
	const total = sum(slots.map(s => s.n)), high = Number(most(slots.map(s => s.n)));
	const y = logarithmic ? n => Math.log10(n) : n => n, base = logarithmic ? -0.5 : 0;
	const marked = countMarks(high, logarithmic).map(n => [y(n), thousands(n, "")]);
	const counts = axis("samples", base, y(high) * 1.05 + (logarithmic ? 0.1 : 0), marked, {
		axisPointer: { show: false }, nameTextStyle: { ...LABEL, align: "left" } });

	draw(box, "histogram", {
		xAxis: valueAxis(null, over, unit), yAxis: counts,
		series: [boxes(slots.map(s => [s.from, base, s.to, y(Number(s.n))]), () => ({ fill: "var(--bar)" }))],
	}, x => {
		const s = slots.find(s => x >= s.from && x < s.to);

		return s ? slotLines(s, total, unit) : [["about " + value(Math.round(unposition(x)), unit), "none"]];
	});
}

function countMarks(high, logarithmic) {
	if (logarithmic)
		return Array.from({ length: 20 }, (_, d) => 10 ** d).filter(n => n <= high);
	const step = [1, 2, 5].flatMap(m => Array.from({ length: 20 }, (_, d) => m * 10 ** d)).sort((a, b) => a - b).find(s => high / s <= 5);

	return Array.from({ length: Math.floor(high / step) + 1 }, (_, i) => i * step);
}

/* Which value a share of the samples lies below: each slot's samples lie somewhere in its box, the estimates are the dots. */
function drawPercentiles(box, slots, quantiles, unit, over) {
	const total = sum(slots.map(s => s.n));
	const place = seen => -Math.log10(Math.max(share(total - seen, total), 0.5 / Number(total)));
	const end = Math.max(1.1, place(total));
	const ticks = ["0", "50", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999", "99.999999"];
	const at = ticks.map((text, i) => [i === 0 ? 0 : i === 1 ? Math.log10(2) : i - 1, text + "%"]).filter(([p]) => p <= end);
	let seen = 0n;
	const steps = slots.map(s => {
		const before = seen;

		seen += s.n;
		return { ...s, before, seen, left: place(before), right: seen === total ? end : place(seen) };
	});
	const dots = Object.entries(quantiles ?? {}).map(([name, q]) => [-Math.log10(1 - name.slice(1) / 100), position(q.value)]);

	draw(box, "percentiles", {
		xAxis: axis(null, 0, end, at), yAxis: valueAxis(null, over, unit, { axisPointer: { show: false } }),
		series: [
			boxes(steps.map(s => [s.left, s.from, s.right, s.to]), () => ({ fill: "var(--band)" })),
			{ type: "line", silent: true, symbol: "none", data: steps.flatMap(s => [[s.left, s.from], [s.right, s.to]]),
			  lineStyle: { color: "var(--bar)", width: 2 } },
			{ type: "scatter", silent: true, symbolSize: 8, data: dots.filter(([x]) => x <= end),
			  itemStyle: { color: "var(--paper)", borderColor: "var(--bar)", borderWidth: 2 } },
		],
	}, x => {
		const s = steps.find(s => x < s.right) ?? steps[steps.length - 1], q = 100 - 100 * 10 ** -x;

		return [["percentile", q.toFixed(Math.max(1, Math.min(8, Math.ceil(x) - 1))) + "%"], ["values", range(s, unit)],
			["samples", `${digits(s.before + 1n)} to ${digits(s.seen)} of ${digits(total)}`]];
	});
}

/* ---- over time ---- */

const MOST_COLUMNS = 240, MOST_ROWS = 64;

const clock = seconds => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });

/* Reports in columns, several in one where there are too many: [{first, last, from, to}, ...]. */
function columns(reports) {
	const many = Math.ceil(reports.length / MOST_COLUMNS), all = [];

	for (let i = 0; i < reports.length; i += many) {
		const last = Math.min(i + many, reports.length) - 1;

		all.push({ first: i, last, from: reports[i].taken - reports[i].seconds, to: reports[last].taken });
	}
	return all;
}

function columnLines(reports, c) {
	const [a, b] = [reports[c.first].report ?? c.first + 1, reports[c.last].report ?? c.last + 1];

	return [[a === b ? `report ${a}` : `reports ${a} to ${b}`, `${clock(c.from)} to ${clock(c.to)}`]];
}

function timeAxis(across) {
	const every = Math.ceil(across.length / 8);

	const marked = across.map((c, i) => [i, clock(c.from)]).filter((_, i) => i % every === 0);

	return axis(null, 0, across.length, marked, { splitLine: { show: false } });
}

/* Slots of several reports in one row each, or 2^shift of them: [[column, row], ...] with what is in it. */
function cells(across, slotsOf) {
	const numbers = across.flatMap(c => slotsOf(c).map(s => s.slot)), all = new Map();
	const low = Math.min(...numbers), high = Math.max(...numbers);
	let shift = 0;

	while ((high >> shift) - (low >> shift) >= MOST_ROWS)
		shift++;
	across.forEach((c, column) => {
		for (const s of slotsOf(c)) {
			const id = `${column}:${s.slot >> shift}`, cell = all.get(id);

			if (cell)
				Object.assign(cell, { hi: s.hi, to: s.to, n: cell.n + s.n });
			else
				all.set(id, { column, lo: s.lo, hi: s.hi, from: s.from, to: s.to, n: s.n });
		}
	});
	return [...all.values()];
}

/* Which values came when: the more, the stronger. */
function drawHeat(box, reports, slotsOf, unit, over, onclick) {
	const across = columns(reports), all = cells(across, slotsOf);
	const top = Math.log1p(Number(most(all.map(c => c.n))));
	const strength = i => 0.1 + 0.9 * Math.log1p(Number(all[i].n)) / top;

	draw(box, "values over time", {
		xAxis: timeAxis(across), yAxis: valueAxis(null, over, unit, { axisPointer: { show: false } }),
		series: [boxes(all.map(c => [c.column, c.from, c.column + 1, c.to]), i => ({ fill: "var(--bar)", opacity: strength(i) }))],
	}, (x, y) => {
		const column = across[Math.floor(x)], cell = all.find(c => c.column === Math.floor(x) && y >= c.from && y < c.to);

		if (!column)
			return null;
		return [...columnLines(reports, column),
			cell ? ["values", range(cell, unit)] : ["about " + value(Math.round(unposition(y)), unit), ""],
			["count", cell ? digits(cell.n) : "none"]];
	}, x => onclick(across[Math.floor(x)]));
	return most(all.map(c => c.n));
}

/* How many came when. */
function drawCounts(box, reports, countOf, onclick) {
	const across = columns(reports), n = across.map(countOf), high = Math.max(1, Number(most(n)));
	const marked = countMarks(high, false).map(n => [n, thousands(n, "")]);

	draw(box, "counts over time", {
		xAxis: timeAxis(across), yAxis: axis(null, 0, high * 1.05, marked, { axisPointer: { show: false } }),
		series: [boxes(n.map((n, i) => [i, 0, i + 1, Number(n)]), () => ({ fill: "var(--bar)" }))],
	}, x => {
		const i = Math.floor(x);

		return across[i] && [...columnLines(reports, across[i]), ["count", digits(n[i])]];
	}, x => onclick(across[Math.floor(x)]));
}

/* A histogram as small as a word: one path, no axes. */
function strip(slots, over, width, height) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS(svg.namespaceURI, "path");
	const high = Number(most(slots.map(s => s.n))), x = p => (p - over.from) / (over.to - over.from) * width;

	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("class", "strip");
	path.setAttribute("d", slots.map(s => {
		const wide = Math.max(x(s.to) - x(s.from), 1), tall = Math.max(Number(s.n) / high * height, 1);

		return `M${x(s.from).toFixed(2)} ${height}v${-tall.toFixed(2)}h${wide.toFixed(2)}v${tall.toFixed(2)}z`;
	}).join(""));
	svg.append(path);
	return svg;
}
