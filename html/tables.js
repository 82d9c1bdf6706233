// SPDX-License-Identifier: GPL-2.0
/*
 * tables.js: keys as people read them, and the tables of groups: of figures, of hits, and in the forms of `watch` and `profile`.
 * A row may be chosen, by `view` (report.js).
 */
"use strict";

/* ---- keys ---- */

const hex = address => "0x" + BigInt(address).toString(16);

/* Text of a key that is no stack. */
function keyText(by, key, name) {
	if (name !== null)
		return name;
	if (["cgroup", "container"].includes(by.type))
		return `(gone: ${key})`;
	return ["hex", "symbol", "function"].includes(by.type) ? hex(key) : String(key);
}

function frames(key, names) {
	return key.length ? key.map((address, i) => names[i] ?? hex(address)) : ["(no stack)"];
}

/* A key as cells show it; a stack as a list, which opens where it is long. */
function keyCell(m, group, i) {
	if (m.by[i].type !== "stack")
		return h("bdi", null, keyText(m.by[i], group.key[i], group.names[i]));
	const all = frames(group.key[i], group.names[i]), list = h("ol", { class: "stack" }, all.map(f => h("li", null, f)));

	if (all.length <= 4)
		return list;
	return h("details", { onclick: e => e.stopPropagation() }, h("summary", null, `${all[0]} … ${all.length} frames`), list);
}

function groupText(m, group) {
	const text = (by, key, name) => by.type === "stack" ? frames(key, name)[0] : keyText(by, key, name);

	return m.by.map((by, i) => text(by, group.key[i], group.names[i])).join(", ");
}

/* ---- tables ---- */

const ROWS = 20;

function meter(part) {
	return h("div", { class: "meter" }, h("i", { style: `width:${(100 * part).toFixed(2)}%` }));
}

/* A column: its title, a cell's content, what it is ordered by (null: it is not), and is it words? */
const col = (title, cell, order, words) => ({ title, cell, order, words });

function keyColumns(m, first) {
	return m.by.map((by, i) => col(i === 0 && first ? first : by.text, g => keyCell(m, g, i),
		by.type === "stack" ? null : g => typeof g.key[i] === "string" && by.type !== "string" ? Number(g.key[i]) : g.key[i], true));
}

/* The first rows of `list`; a row may be chosen, where `view` is given. */
function table(name, cols, list, state, view) {
	const body = h("tbody");
	const sorted = () => {
		const by = cols[state.column]?.order, less = (a, b) => a < b ? -1 : a > b ? 1 : 0;

		return by ? [...list].sort((a, b) => less(by(a), by(b)) * state.direction) : list;
	};
	const row = g => {
		const id = idOf(g), choose = () => view.choose({ group: view.group === id ? null : id });

		return h("tr", view ? { class: "choice", tabindex: 0, "aria-selected": view.group === id ? "true" : "false", onclick: choose,
			onkeydown: e => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), choose()) } : null,
		cols.map(c => h("td", { class: c.words ? "words" : null }, c.cell(g))));
	};
	const fill = () => {
		body.replaceChildren(...sorted().slice(0, state.all ? list.length : ROWS).map(row));
		heads.forEach((th, i) => th.setAttribute("aria-sort", i !== state.column ? "none" : state.direction < 0 ? "descending" : "ascending"));
	};
	const sort = i => {
		state.direction = state.column === i ? -state.direction : cols[i].words ? 1 : -1;
		state.column = i;
		fill();
	};
	const heads = cols.map((c, i) => h("th", { scope: "col", class: c.words ? "words" : null, title: c.title },
		c.order ? h("button", { onclick: () => sort(i) }, c.title) : c.title));
	const more = list.length > ROWS && h("button", { class: "more", onclick: () => {
		state.all = !state.all;
		more.textContent = state.all ? `show ${ROWS}` : `show all ${list.length}`;
		fill();
	} }, state.all ? `show ${ROWS}` : `show all ${list.length}`);

	fill();
	return h("div", { class: "panel" }, h("h3", null, name),
		h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, heads)), body)), more);
}

/* Matches of a pattern that are in no group. */
function silent(m) {
	const heard = m.by[0]?.type === "point" ? new Set(m.groups.map(g => String(g.key[0]))).size : m.matches.length;

	return heard < m.matches.length && h("p", { class: "dim" },
		`${m.matches.length - heard} of ${m.matches.length} matches had no ${m.kind === "counts" ? "hits" : "samples"}`);
}

function groupTable(view, m, over) {
	const known = m.sum !== null && String(m.sum) !== "0", part = g => known && g.sum !== null ? share(g.sum, m.sum) : share(g.count, m.count);
	const v = (exactly, text) => number(exactly, text ?? value(exactly, m.unit), exact(exactly, m.unit));

	return table(m.by.map(by => by.text).join(", "), [
		...keyColumns(m),
		col("count", g => number(g.count, digits(g.count)), g => Number(g.count)),
		col(known ? m.kind === "duration" ? "share of time" : "share of sum" : "share", g => [percent(part(g)), meter(part(g))], part),
		col("mean", g => g.mean === null ? "unknown" : v(g.mean), g => g.mean ?? g.mean_hi),
		...["p50", "p99"].map(q => col(q, g => g.quantiles && v(g.quantiles[q].value), g => g.quantiles?.[q].value)),
		col("max", g => v(g.max.hi, (g.max.exact ? "" : "≤ ") + value(g.max.hi, m.unit)), g => Number(g.max.hi)),
		over && col("", g => strip(slotsOf([g.slots]), over, 160, 22), null),
	].filter(Boolean), m.groups, view.table, view);
}

function countTable(view, m) {
	const part = g => share(g.count, m.count);

	return table(m.by.map(by => by.text).join(", "), [
		...keyColumns(m),
		col("hits", g => number(g.count, digits(g.count)), g => Number(g.count)),
		col("share", g => [percent(part(g)), meter(part(g))], part),
		col("rate", g => rate(g.count, m.armed_ns), g => Number(g.count)),
	], m.groups, view.table, SERIES ? view : null);
}

/* Of n samples, their sum and that of their squares; as runtime/variance.h has it, whole. */
function variance(g) {
	const n = BigInt(g.count), s = BigInt(g.sum ?? 0);
	const beyond = BigInt(g.squares ?? 0) * n - s * s;

	return n < 2n || beyond < 0n ? 0n : beyond / n / (n - 1n);
}

function squared(m, g) {
	const v = Number(variance(g));

	return m.unit === "ns" ? `${Number((v / 1e6).toPrecision(4))} µs²` : String(Number(v.toPrecision(4)));
}

/* With the columns that the kernel's own tracers of these names had. */
function formTable(view, m) {
	const timed = m.kind !== "counts", histograms = timed && m.bits !== null, watched = m.form === "watch";
	const [access, , ...symbol] = m.watch?.split(" ") ?? ["-"];
	const v = exactly => exactly === null ? "unknown" : number(exactly, value(exactly, m.unit), exact(exactly, m.unit));
	const cols = [...keyColumns(m, "Function"), col(watched ? "Counter" : "Hit", g => number(g.count, digits(g.count)), g => Number(g.count))];

	if (watched)
		cols.unshift(col("Access_Type", () => access, null, true), col("Symbol_name", () => symbol.join(" ") || m.name, null, true));
	if (timed)
		cols.push(col("Time", g => v(g.sum), g => Number(g.sum)), col("Avg", g => v(g.mean), g => g.mean),
			col("s²", g => number(variance(g), squared(m, g)), g => Number(variance(g))));
	if (histograms)
		cols.push(...["p50", "p99"].map(q => col(q, g => v(g.quantiles[q].value), g => g.quantiles[q].value)));
	return [table(watched ? "Who touches it" : "Functions", cols, m.groups, view.table, SERIES || histograms ? view : null),
		h("p", { class: "dim floor" }, "overrun ", number(m.accounting.full, digits(m.accounting.full)))];
}
