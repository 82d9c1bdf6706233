// SPDX-License-Identifier: GPL-2.0
/*
 * numbers.js: the reports' JSON without losing a digit of it, and numbers as people read them.
 *
 * JavaScript's own numbers hold integers up to 2^53; kmeter's go to 2^64 and, summed, beyond. So integers of more than 15 digits
 * stay strings of digits, as docs/json.md has those above 2^63 anyway. BigInt() takes both; what is drawn is a Number.
 */
"use strict";

/* Strings stay what they are; a number is one token, so that what has a fraction or an exponent is not taken for digits. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

function parse(line) {
	return JSON.parse(line.replace(TOKENS, token => /^-?\d{16,}$/.test(token) ? `"${token}"` : token));
}

const REPORTS = document.getElementById("reports").textContent.split("\n").filter(line => line).map(parse);
const TOTAL = (text => text ? parse(text) : null)(document.getElementById("total").textContent.trim());
const WORDS = JSON.parse(document.getElementById("words").textContent);

/* Sums of integers, exact. */
function sum(list) {
	return list.reduce((a, b) => a + BigInt(b), 0n);
}

function most(list) {
	return list.reduce((a, b) => a > b ? a : b);
}

/* a / b, of integers of any size. */
function share(a, b) {
	return Number(a) / Number(b);
}

/* ---- as text: the same as the text report's (console/units.c) ---- */

/* "1,234,567". */
function digits(integer) {
	return String(integer).replace(/\B(?=(\d{3})+$)/g, ",");
}

/* "1 slot", "2 slots". */
function plural(n, word) {
	return `${digits(n)} ${word}${n === 1 ? "" : "s"}`;
}

/* Four significant digits of 0 <= v < 1000. */
function fourDigits(v) {
	return v.toFixed(v < 9.9995 ? 3 : v < 99.995 ? 2 : 1);
}

function plain(v) {
	return v < 999.95 && v !== Math.floor(v) ? fourDigits(v) : digits(BigInt(Math.round(v)));
}

function thousands(v, unit) {
	const after = unit ? " " + unit : "";
	let i = 0;

	if (v < 99999.5)
		return plain(v) + after;
	for (v /= 1000; v >= 999.95 && i < 5; i++)
		v /= 1000;
	return fourDigits(v) + "kMGTPE"[i] + after;
}

function bytes(v) {
	let i = 0;

	for (; v >= 1023.5 && i < 6; i++)	// what would be rounded to 1024 is 1 of the next
		v /= 1024;
	return (v > 999.94 ? v.toFixed(0) : plain(v)) + " " + ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][i] + "B";
}

const TIMES = ["ns", "us", "ms", "s"];

function value(v, unit) {
	let i = TIMES.indexOf(unit);

	v = Number(v);
	if (unit === "bytes")
		return bytes(v);
	if (i < 0)
		return thousands(v, unit);
	for (; i > 0 && v < 0.9999995 && v > 0; i--)
		v *= 1000;
	for (; i < 3 && v >= 999.95; i++)
		v /= 1000;
	return plain(v) + " " + TIMES[i].replace("us", "µs");
}

/* All digits, with the unit. */
function exact(v, unit) {
	const text = /^\d+$/.test(v) ? digits(v) : String(v);

	return text + (unit ? " " + unit.replace(/^us$/, "µs") : "");
}

function percent(part) {
	const p = part * 100;

	if (p > 0 && p < 0.05)
		return "<0.1%";
	if (p >= 99.95 && part < 1)
		return ">99.9%";
	return p.toFixed(p >= 99.95 ? 0 : 1) + "%";
}

/* Per second of the time that it was armed. */
function rate(n, armed) {
	const v = Number(n) * 1e9 / Number(armed);

	if (!Number(armed))
		return "-";
	return (v >= 9999999.5 ? thousands(v, "") : v < 99.95 && v !== Math.floor(v) ? v.toFixed(1) : digits(Math.round(v))) + "/s";
}

/* ---- where a value stands on a logarithmic axis that has a place for 0 ---- */

/* The integer v takes the room from position(v) to position(v + 1): 0 that from -1 to 0. */
function position(v) {
	return v < 1 ? v - 1 : Math.log2(v);
}

function unposition(p) {
	return p < 0 ? p + 1 : 2 ** p;
}

/* Marks between two positions: by decades (bytes: by 1024), finer where that gives few; always round numbers. */
function marks(from, to, unit) {
	const all = [];

	if (unit === "bytes") {
		const every = to - from > 25 ? 10 : to - from > 12 ? 4 : to - from > 5 ? 2 : 1;

		for (let p = 0; p < 64; p += every)
			all.push(2 ** p);
	} else {
		const wide = to - from > 40 ? 3 : to - from > 30 ? 2 : 1;	/* decades */
		const in_decade = to - from > 9 ? [1] : to - from > 4 ? [1, 3] : [1, 2, 5];

		for (let d = 0; d < 20; d += wide)
			all.push(...in_decade.map(m => m * 10 ** d));
	}
	return [0, ...all].filter(v => position(v) >= from && position(v) <= to);
}
