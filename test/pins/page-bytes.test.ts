import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildPage } from '../../scripts/package/page.mjs';
import { verifies } from '../support/verifies.js';

const FIRST_LOAD = 40_000;
const LAZY_CHUNK = 30_000;
const WORKER = 3_000;
/** What browsers and systems keep by its name. */
const FIXED = /^\/(?:worker\.js|manifest\.json|icon-\w+\.png)$/;
/** With the stream it is six. */
const FIRST_FILES = 5;
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const SRC = fileURLToPath(new URL('../../src', import.meta.url));

describe('the bytes of the page', () => {
  verifies('W05', 'first load and each lazy chunk within their bytes, few requests', async () => {
    const { files, first } = await buildPage('dist/cli');
    const bytes = (path: string) => files.find((file) => file.path === path)?.gzip.length ?? Number.NaN;
    const late = files.map(({ path }) => path).filter((path) => !first.includes(path));
    expect(first.reduce((sum, path) => sum + bytes(path), 0)).toBeLessThanOrEqual(FIRST_LOAD);
    expect(late.filter((path) => bytes(path) > LAZY_CHUNK)).toEqual([]);
    expect([first.length <= FIRST_FILES, late.length > 0]).toEqual([true, true]);
    expect(bytes('/worker.js')).toBeLessThanOrEqual(WORKER);
  });

  it('name every file of the page by its content, but for the shell, which has nothing inline', async () => {
    const { files } = await buildPage('dist/cli');
    const [shell, ...all] = files;
    const others = all.filter(({ path }) => !FIXED.test(path));
    expect(others.filter(({ path }) => !/^\/[a-z-]+-[0-9A-Z]{8}\.(js|css)$/.test(path))).toEqual([]);
    expect(shell?.text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);
    for (const path of shell?.text.matchAll(/(?:src|href)="(\/[^"]+)"/g) ?? [])
      expect(files.map((file) => file.path)).toContain(path[1]);
  });

  it('are made of text: nothing in the sources writes markup', () => {
    const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(tsx?|html)$/.test(name),
    );
    const writers = /inner\u0048TML|outer\u0048TML|insertAdjacent\u0048TML|document\.write|style=/;
    expect(sources.filter((name) => writers.test(readFileSync(join(SRC, name), 'utf8')))).toEqual([]);
  });

  it('are in no program but the server of the page', () => {
    const bundles: Record<string, { inputs: Record<string, number> }> = JSON.parse(
      readFileSync(join(DIST, '.holdfast-bundles.json'), 'utf8'),
    );
    const programs = Object.entries(bundles).filter(([path]) => /^dist\/cli\/(?!page\/)/.test(path));
    const holders = programs.filter(([path]) =>
      /\/boot-[0-9A-Z]{8}\.js/.test(readFileSync(join(DIST, '..', path), 'utf8')),
    );
    expect(programs.length).toBeGreaterThan(10);
    expect(holders.filter(([, { inputs }]) => !('src/web/server/assets.ts' in inputs))).toEqual([]);
  });
});
