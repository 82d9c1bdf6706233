// SPDX-License-Identifier: GPL-2.0
/*
 * report.js: the page. A section a measurement: what it is, its figures, charts, groups, CPUs and accounting. What a section shows
 * is of all reports or of one (chosen in the charts over time), of all groups or of one (chosen in their table).
 */
"use strict";

/* ---- the data ---- */

const SERIES = REPORTS.length > 1;
const LAST = REPORTS[REPORTS.length - 1];
const NAMES = [...new Set(REPORTS.flatMap(r => r.measurements.map(m => m.name)))];

const measured = (report, name) => report.measurements.find(m => m.name === name);

/* What all reports add up to, or the last report that has it. */
function whole(name) {
	return TOTAL ?? REPORTS.findLast(r => measured(r, name));
}

/* The row of docs/json.md with its digits as BigInts, and where it stands on the axis. */
function slotOf([slot, lo, hi, n, mean, total]) {
	return { slot, lo: BigInt(lo), hi: BigInt(hi), n: BigInt(n), mean, sum: total === null ? null : BigInt(total),
		from: position(Number(lo)), to: position(Number(hi) + 1) };
}

/* Those of several groups or CPUs as one histogram. Their means and sums stay exact, or unknown. */
function slotsOf(lists) {
	const all = new Map();

	if (lists.length === 1)
		return lists[0].map(slotOf);
	for (const s of lists.flat().map(slotOf)) {
		const have = all.get(s.slot);

		if (!have) {
			all.set(s.slot, s);
			continue;
		}
		have.n += s.n;
		have.sum = have.sum === null || s.sum === null ? null : have.sum + s.sum;
		have.mean = have.sum === null ? null : share(have.sum, have.n);
	}
	return [...all.values()].sort((a, b) => a.slot - b.slot);
}

const idOf = group => JSON.stringify(group.key);
/* The groups of a measurement that are shown: all, or the one that was chosen. */
function shownGroups(m, chosen) {
	return m ? m.groups.filter(g => chosen === null || idOf(g) === chosen) : [];
}

/* "cpus" of these groups, each CPU once: [{cpu, count, slots}, ...]. */
function cpusOf(groups) {
	const all = new Map();

	for (const c of groups.flatMap(g => g.cpus))
		all.set(c.cpu, [...all.get(c.cpu) ?? [], c]);
	return [...all].sort(([a], [b]) => a - b).map(([cpu, list]) => ({
		cpu, count: sum(list.map(c => c.count)), slots: list[0].slots ? slotsOf(list.map(c => c.slots)) : null,
	}));
}

/* ---- what it is ---- */

const line = (m, word) => m.text.find(l => l.startsWith(word + " "))?.slice(word.length + 1);

/* A pattern may have thousands of points: of many only the mechanisms are counted. */
function pointLines(points) {
	const tally = new Map();

	if (points.length <= 8)
		return points.map(p => [h("bdi", null, p.point), p.mechanism && ` by ${p.mechanism}`]);
	points.forEach(p => tally.set(p.mechanism, (tally.get(p.mechanism) ?? 0) + 1));
	return [...tally].sort().map(([mechanism, n]) => plural(n, "point") + (mechanism ? ` by ${mechanism}` : ""));
}

function identity(m) {
	const lines = pointLines(m.points), counter = line(m, "counter"), time = line(m, "time");

	if (m.key && m.key !== "none")
		lines.push(`paired by ${m.key === "task" ? "the current task" : m.key}`);
	if (counter)
		lines.push(`how far ${counter} moves, not how long it takes`);
	if (time)
		lines.push(`of each call the time ${time === "oncpu" ? "on a CPU" : "off the CPU, asleep or waiting for one"}`);
	return [
		h("h2", null, m.name, m.state === "stopped" && h("span", { class: "alarm badge" }, "stopped")),
		m.statement && h("pre", { class: "statement" }, m.statement),
		h("p", { class: "dim" }, lines.map((l, i) => [i > 0 && h("br"), l])),
	];
}

function notes(m) {
	const suspended = line(m, "suspended"), all = [];

	if (m.clock?.includes(" since "))
		all.push(`The clock: ${m.clock}: what ended later may be wrong (clock mono is not affected).`);
	if (suspended)
		all.push(`Suspended ${suspended} time${suspended === "1" ? "" : "s"}: what was in flight then has \`stopped\`.`);
	if (m.restarted)
		all.push(TOTAL ? "Reset while it was measured: what came between a reset and the report before it is not in here."
			: "Reset since the last report: these are the numbers since then.");
	if (m.overload)
		all.push(`Stopped by kmeter's guard: it took ${m.overload.percent} % of CPU ${m.overload.cpu} (${m.overload.hits_per_second} hits a second, ${m.overload.hit_ns} ns each).`);
	if (m.floor_shared !== null)
		all.push(`The floor does not hold: at ${plural(Number(m.floor_shared), "function")} another tracer or measurement is attached too.`);
	return all.map(text => h("p", { class: "alarm" }, text));
}

function floors(m) {
	const way = f => ` by ${f.from}` + (f.to !== null && f.to !== f.from ? ` to ${f.to}` : "");

	return m.floor.length > 0 && h("p", { class: "floor" }, h("span", { class: "dim" }, "floor "),
		m.floor.map((f, i) => [i > 0 && ", ", number(f.value, value(f.value, m.unit), exact(f.value, m.unit)), way(f)]),
		h("span", { class: "dim" }, ": what an empty function shows; it is subtracted from nothing"));
}

/* ---- figures ---- */

function figure(name, what, exactly, text, title, below) {
	return h("div", { "data-figure": name }, h("dt", null, what),
		h("dd", null, number(exactly, text, title), below && h("small", null, below)));
}

function bound(name, b, unit, largest) {
	const v = largest ? b.hi : b.lo;

	return figure(name, name, v, (b.exact ? "" : largest ? "≤ " : "≥ ") + value(v, unit),
		b.exact ? exact(v, unit) : `between ${digits(b.lo)} and ${exact(b.hi, unit)}`);
}

function quantileFigure(name, q, unit) {
	const known = String(q.lo) === String(q.hi);

	return figure(name, name, q.value, value(q.value, unit),
		known ? exact(q.lo, unit) : `surely between ${digits(q.lo)} and ${exact(q.hi, unit)}`,
		known ? "exact" : `${value(q.lo, unit)} to ${value(q.hi, unit)}`);
}

function meanFigure(f, unit) {
	if (f.mean === null)
		return figure("mean", "mean", "", "unknown", "the sum wrapped", `${value(f.mean_lo, unit)} to ${value(f.mean_hi, unit)}`);
	return figure("mean", "mean", f.mean, value(f.mean, unit),
		f.sum === null ? null : `${digits(f.sum)} / ${digits(f.count)} = ${exact(f.mean, unit)}`);
}

function figures(m, f) {
	const all = [figure("count", m.kind === "counts" ? "total" : "count", f.count, digits(f.count)),
		figure("rate", "rate", "", rate(f.count, m.armed_ns), `in ${exact(m.armed_ns, "ns")} that it was armed`)];

	if (f.mean !== undefined)
		all.push(meanFigure(f, m.unit));
	if (f.quantiles)
		all.push(bound("min", f.min, m.unit, false), bound("max", f.max, m.unit, true),
			...Object.entries(f.quantiles).map(([name, q]) => quantileFigure(name, q, m.unit)));
	return h("dl", { class: "figures" }, all);
}

/* Nothing recorded is an answer too. */
function empty(m) {
	const terms = m.accounting, all = Object.entries(WORDS.empty);
	const why = terms.hits === 0 ? (m.state === "stopped" ? "it is stopped (kmeter start)" : WORDS.empty.hits)
		: all.find(([term]) => term !== "hits" && String(terms[term.replaceAll(" ", "_")]) === String(terms.hits))?.[1];

	const seconds = Number((Number(m.armed_ns) / 1e9).toPrecision(3));

	return h("p", { class: "empty" }, `no ${m.kind === "counts" ? "hits" : "samples"} in ${seconds} s: `,
		why ?? "the accounting below says where they went");
}

/* ---- charts ---- */

function panel(title, hint, ...children) {
	const box = h("div", { class: "chart" });

	const caption = h("figcaption", null, h("b", null, title), h("span", { class: "dim" }, hint), ...children);

	return { box, panel: h("figure", { class: "panel" }, caption, box) };
}

/* The same numbers for those who read tables, and for the exact ones of all slots at once. */
function slotTable(slots, unit) {
	const total = sum(slots.map(s => s.n));
	const cell = v => h("td", null, number(v, value(v, unit), exact(v, unit)));
	const row = s => h("tr", { "data-slot": s.slot }, cell(s.lo), cell(s.hi), h("td", null, number(s.n, digits(s.n))),
		h("td", null, percent(share(s.n, total))), s.mean === null ? h("td", null, "unknown") : cell(s.mean));
	const fill = e => {
		if (e.target.open && !e.target.querySelector("table"))
			e.target.append(h("div", { class: "scroll" }, h("table", { class: "slots" },
				h("thead", null, h("tr", null, ["from", "to", "count", "share", "mean"].map(t => h("th", { scope: "col" }, t)))),
				h("tbody", null, slots.map(row)))));
	};

	return h("details", { class: "slots", ontoggle: fill }, h("summary", null, `${plural(slots.length, "slot")} as a table`));
}

function charts(view, m, f, slots, over) {
	const curve = panel("Percentiles", `so many samples ${m.kind === "duration" ? "took" : "were"} at most so much`);
	const toggle = h("input", { type: "checkbox", onchange: e => { view.logarithmic = e.target.checked; view.show(); } });
	const bars = panel("Histogram", "each bar as wide as its slot", h("label", { class: "toggle" }, toggle, " log counts"));

	toggle.checked = view.logarithmic;
	view.draw(() => {
		drawPercentiles(curve.box, slots, f.quantiles, m.unit, over);
		drawHistogram(bars.box, slots, m.unit, over, view.logarithmic);
	});
	return [h("div", { class: "pair" }, curve.panel, bars.panel), slotTable(slots, m.unit)];
}

function overTime(view, m, over) {
	const groups = column => REPORTS.slice(column.first, column.last + 1).flatMap(r => shownGroups(measured(r, m.name), view.group));
	const slots = column => slotsOf(groups(column).map(g => g.slots));
	const choose = column => {
		if (column && column.first === column.last && measured(REPORTS[column.first], m.name))
			view.choose({ report: column.first });
	};
	const histogram = m.kind !== "counts" && m.bits !== null;
	const many = Math.ceil(REPORTS.length / MOST_COLUMNS);
	const chart = panel("Over time", (histogram ? "the stronger, the more came; " : "how many came; ") +
		(many > 1 ? `a column is ${many} reports` : "a click shows that report alone"));

	if (!histogram) {
		view.draw(() => drawCounts(chart.box, REPORTS, c => sum(groups(c).map(g => g.count)), choose));
	} else if (over) {
		view.draw(() => {
			const top = drawHeat(chart.box, REPORTS, slots, m.unit, over, choose);

			chart.panel.querySelector("figcaption").append(h("span", { class: "legend dim" }, "1 ", h("i"), ` ${digits(top)}`));
		});
		chart.box.classList.add("wide");
	} else {
		return null;
	}
	return chart.panel;
}

function cpuPanels(groups, m, over) {
	const cpus = cpusOf(groups);

	if (cpus.length < 2)
		return null;
	const all = sum(cpus.map(c => c.count)), ends = over && [Math.ceil(unposition(over.from)), Math.floor(unposition(over.to))];
	const title = c => `${plural(c.slots.length, "slot")}, from ${digits(c.slots[0].lo)} to ${exact(c.slots.at(-1).hi, m.unit)}`;
	const one = c => h("figure", { "data-cpu": c.cpu, title: c.slots && over ? title(c) : null },
		h("figcaption", null, h("b", null, `CPU ${c.cpu}`), " ", number(c.count, digits(c.count)),
			h("span", { class: "dim" }, " " + percent(share(c.count, all)))),
		c.slots && over ? strip(c.slots, over, 160, 40) : meter(share(c.count, all)));

	return h("div", { class: "panel" }, h("h3", null, "CPUs"), h("div", { class: "cpus" }, cpus.map(one)),
		over && h("p", { class: "dim" }, `Each from ${value(ends[0], m.unit)} to ${value(ends[1], m.unit)}, as the histogram above.`));
}

/* ---- the accounting ---- */

/* What is no loss. The others' sentences are the text report's. */
const KEPT = { recorded: "samples in this report", filtered: "refused by an `if`", nested: "calls inside a call, under `nesting`",
	in_flight: "begun, and not ended when this was read" };

function accounting(m) {
	const { balanced, hits, ...terms } = m.accounting, some = Object.entries(terms).filter(([term, n]) => n !== 0 || term === "recorded");
	const part = n => Number(hits) ? share(n, hits) : 0;
	const row = (name, n, what, sign) => h("tr", { "data-term": name },
		h("td", { class: "dim" }, sign), h("th", { scope: "row" }, name.replaceAll("_", " ")), h("td", null, number(n, digits(n))),
		h("td", null, Number(hits) ? percent(part(n)) : "", meter(part(n))), h("td", { class: "words dim" }, what));

	return h("div", { class: "panel accounting" }, h("h3", null, "Where every hit went"),
		!balanced && h("p", { class: "alarm" }, "NOT BALANCED: the terms do not add up to the hits"),
		h("div", { class: "scroll" }, h("table", { "data-balanced": String(balanced) }, h("tbody", null,
			row("hits", hits, balanced ? "all that came; the terms below add up to it" : "all that came", ""),
			some.map(([term, n], i) => row(term, n, WORDS.losses[term.replaceAll("_", " ")] ?? KEPT[term] ?? "", i ? "+" : "="))))));
}

/* ---- a section ---- */

function section(name, number) {
	const what = h("div"), body = h("div"), root = h("section", { id: `m${number}`, "data-name": name }, what, body);
	const view = { group: null, report: null, logarithmic: false, table: { column: null, direction: 1, all: false }, later: [] };

	view.draw = f => view.later.push(f);
	view.choose = change => { Object.assign(view, change); view.show(); };
	view.show = () => {
		const source = view.report === null ? whole(name) : REPORTS[view.report], m = measured(source, name);
		const top = root.getBoundingClientRect().top;

		forget(body);
		what.replaceChildren(...identity(m).filter(Boolean));
		body.replaceChildren(...contents(view, m, source).flat(Infinity).filter(Boolean));
		view.later.splice(0).forEach(f => f());
		scrollBy(0, root.getBoundingClientRect().top - top);
	};
	return { root, show: view.show };
}

/* Which group and report are shown, and the way back to all. */
function selection(view, m, source) {
	const group = view.group !== null && measured(whole(m.name), m.name).groups.find(g => idOf(g) === view.group), all = [];
	const drop = (text, change) => h("button", { class: "chosen", onclick: () => view.choose(change) }, text, " ×");

	if (group)
		all.push(drop(groupText(m, group), { group: null }));
	if (view.report !== null)
		all.push(drop(`report ${source.report ?? view.report + 1}, ${clock(source.taken)}`, { report: null }));
	return all.length > 0 && h("p", { class: "selection" }, "shown: ", all);
}

function contents(view, m, source) {
	const groups = shownGroups(m, view.group), f = view.group === null ? m : groups[0], histogram = m.kind !== "counts" && m.bits !== null;
	const slots = histogram ? slotsOf(groups.map(g => g.slots)) : [];
	/* The axes are those of all, so that they stay when a choice is made. */
	const everything = histogram ? slotsOf(measured(whole(m.name), m.name).groups.map(g => g.slots)) : [];
	const over = everything.length ? span(everything) : null, parts = [notes(m), selection(view, m, source)];

	if (!m.groups.length)
		parts.push(empty(m));
	else if (!f)
		parts.push(h("p", { class: "empty" }, "no samples of this group in this report"));
	else
		parts.push(figures(m, f), m.kind !== "counts" && floors(m), slots.length > 0 && charts(view, m, f, slots, over));
	if (SERIES)
		parts.push(overTime(view, m, over));
	if (m.groups.length && m.form !== "histograms")
		parts.push(formTable(view, m));
	else if (m.groups.length && m.by.length)
		parts.push(m.kind === "counts" ? countTable(view, m) : groupTable(view, m, over));
	parts.push(m.groups.length > 0 && silent(m), groups.length > 0 && cpuPanels(groups, m, over), accounting(m));
	return parts;
}

/* ---- the page ---- */

function head() {
	const began = new Date((REPORTS[0].taken - REPORTS[0].seconds) * 1000), seconds = REPORTS.reduce((all, r) => all + r.seconds, 0);
	const last = s => s.first_cpu + Math.max(s.possible_cpus, 1) - 1;
	const merged = LAST.sources && LAST.sources.map(s => `${s.host ?? "unnamed"} (CPUs ${s.first_cpu} to ${last(s)})`).join(", ");
	const facts = [["kernel", LAST.release], ["host", LAST.host], ["merged of", merged],
		["measured", `${began.toLocaleString([], { hour12: false })}, for ${Number(seconds.toPrecision(4))} s`],
		["reports", SERIES && REPORTS.length], ["kmeter", LAST.version]];
	const link = (name, i) => h("a", { href: `#m${i}` }, name, " ", h("small", null, digits(measured(whole(name), name).count)));

	return h("header", null, h("h1", null, TITLE),
		h("dl", { class: "facts" }, facts.filter(f => f[1]).map(([what, text]) => h("div", null, h("dt", null, what), h("dd", null, text)))),
		NAMES.length > 1 && h("nav", null, NAMES.map(link)),
		SERIES && !TOTAL && h("p", { class: "alarm" },
			"These reports are not of the same measurements and do not add up: shown is the last one of each."));
}

const TITLE = NAMES.join(", ") || "nothing was measured";
const sections = NAMES.map(section), page = document.getElementById("page");

document.title = TITLE + " - kmeter";
page.replaceChildren(head(), ...sections.map(s => s.root));
if (LAST.script)
	page.append(h("section", null, h("h2", null, "The script"), h("pre", { class: "script" }, LAST.script)));
document.body.append(TIP);
sections.forEach(s => s.show());
