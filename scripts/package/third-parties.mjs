// Whose code is in our bundles: packages by their files, packages inside the bundles of others by what those files say,
// and data that was made from a package by what our own file says.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesIn } from './metafiles.mjs';

/** Licence texts of packages that are not installed, or that came without one. */
const KEPT = fileURLToPath(new URL('licences/', import.meta.url));
const LICENCE_FILE = /^(licen[cs]e|copying)(\.(md|txt))?$/i;
const NOTICE_FILE = /^notice(\.(md|txt))?$/i;

/**
 * Each package as { name, version, licence, text, within }, by name and version; `within` names the package whose own
 * bundle it came in. Throws where a licence is not known.
 */
export function thirdParties(bundles) {
  const found = new Map();
  const add = (party) => {
    const key = `${party.name}@${party.version}`;
    if (!found.has(key)) found.set(key, { ...party, ...licenceOf(party) });
  };
  const files = filesIn(bundles);
  for (const path of files) {
    const directory = packageAround(path);
    if (directory !== undefined) add({ ...manifestIn(directory), directory });
    else for (const party of sourceOfData(path)) add(party);
  }
  // Afterwards: what is installed anyway is no guest of another one.
  for (const path of files) for (const party of guestsIn(path)) add(party);
  return [...found.values()].map(({ directory, ...party }) => party).sort(byName);
}

function byName(one, other) {
  const [a, b] = [one, other].map(({ name, version }) => `${name} ${version}`);
  return a < b ? -1 : 1;
}

/** The directory of the package that a file belongs to; ours is none. */
function packageAround(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

function manifestIn(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return { name, version, licence: license };
}

/** A bundle of others marks what it was made from: `//#region …/.pnpm/ajv@8.18.0/node_modules/ajv/…`. */
function guestsIn(path) {
  const directory = packageAround(path);
  if (directory === undefined) return [];
  const within = manifestIn(directory).name;
  const marks = readFileSync(path, 'utf8').matchAll(
    /#region \S*\/\.pnpm\/([^\s/]+)\/node_modules\/((?:@[^\s/]+\/)?[^\s/]+)/g,
  );
  return [...marks].map(([, place, name]) => {
    const version = /^@?[^@]+@([^_(]+)/.exec(place)?.[1];
    if (version === undefined) throw new Error(`${path}: which version of ${name} is in ${place}?`);
    return { name, version, within };
  });
}

/** `// Made by scripts/… from NAME VERSION (…)`, as a script of ours writes it. */
function sourceOfData(path) {
  const [, name, version] = /^\/\/ Made by \S+ from (\S+) (\d\S*)/.exec(readFileSync(path, 'utf8')) ?? [];
  if (name === undefined) return [];
  const directory = join('node_modules', name);
  if (manifestIn(directory).version !== version)
    throw new Error(`${path} was made from ${name} ${version}, another version is installed`);
  return [{ ...manifestIn(directory), directory }];
}

function licenceOf({ name, version, licence, directory }) {
  const kept = join(KEPT, `${name.replace('/', '+')}@${version}.txt`);
  if (existsSync(kept)) {
    const [, spdx, text] =
      /^SPDX-License-Identifier: (\S+)\n\n([\s\S]+)$/.exec(readFileSync(kept, 'utf8')) ?? [];
    if (spdx !== undefined && text !== undefined) return { licence: spdx, text: text.trim() };
  }
  const names = directory === undefined ? [] : readdirSync(directory).sort();
  const texts = [LICENCE_FILE, NOTICE_FILE].flatMap((pattern) =>
    names.filter((entry) => pattern.test(entry)),
  );
  if (typeof licence !== 'string' || !texts.some((entry) => LICENCE_FILE.test(entry)))
    throw new Error(
      `The licence of ${name} ${version} is not known: put its text into scripts/package/licences/${kept.slice(dirname(kept).length + 1)}, after a line "SPDX-License-Identifier: …" and an empty one`,
    );
  return {
    licence,
    text: texts.map((entry) => plain(readFileSync(join(directory, entry), 'utf8'))).join('\n\n'),
  };
}

function plain(text) {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[ \t]+$/gm, '')
    .trim();
}
