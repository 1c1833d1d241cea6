// Writes src/agents/prices/list.ts: the prices of the models that agents report no dollars for, out of the npm package
// @pydantic/genai-prices (MIT). What it takes is checked in, so that a price never changes without somebody seeing it.
//   node scripts/make-prices.mjs            writes the file
//   node scripts/make-prices.mjs --check    fails when the file is not what the installed package says
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findProvider } from '@pydantic/genai-prices';

/** When the version was published: the package does not say. To be changed with the version. */
const PUBLISHED = { '0.1.8': '2026-09-23' };
/** Whose models the four agents use by themselves; what opencode uses beyond that it prices itself. */
const PROVIDERS = ['anthropic', 'openai', 'google'];
const KEYS = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
};

const FILE = fileURLToPath(new URL('../src/agents/prices/list.ts', import.meta.url));

export function makeList() {
  const { version } = createRequire(import.meta.url)('../node_modules/@pydantic/genai-prices/package.json');
  const date = PUBLISHED[version];
  if (date === undefined)
    throw new Error(`When was @pydantic/genai-prices ${version} published? Add it to PUBLISHED.`);
  const models = PROVIDERS.flatMap((provider) =>
    findProvider({ providerId: provider }).models.flatMap(modelOf),
  );
  const text = `// Made by scripts/make-prices.mjs from @pydantic/genai-prices ${version} (MIT, Copyright (c) Pydantic Services Inc.
// 2025 to present). Not to be edited.
import type { ListedModel } from './price.js';

export const PRICE_SOURCE = '@pydantic/genai-prices ${version} of ${date}';

/** US dollars per million tokens. */
export const LISTED_MODELS: readonly ListedModel[] = ${JSON.stringify(models)};
`;
  return formatted(text);
}

/** Only what is paid by the token: a model without a price for input and output is of no use here. */
function modelOf({ match, prices }) {
  const periods = (Array.isArray(prices) ? prices : [{ prices }])
    .filter(({ constraint }) => constraint === undefined || constraint.type === 'start_date')
    .map(({ constraint, prices: price }) => ({
      ...(constraint === undefined ? {} : { from: constraint.start_date }),
      ...Object.fromEntries(
        Object.entries(KEYS).flatMap(([key, name]) =>
          price[name] === undefined ? [] : [[key, priceOf(price[name])]],
        ),
      ),
    }))
    .filter((price) => price.input !== undefined && price.output !== undefined);
  return periods.length === 0 ? [] : [{ match, periods }];
}

function priceOf(price) {
  return typeof price === 'number'
    ? price
    : { base: price.base, tiers: price.tiers.map(({ start, price }) => ({ above: start, price })) };
}

function formatted(text) {
  const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [biome, 'format', '--stdin-file-path', FILE],
    { input: text, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const list = makeList();
  if (!process.argv.includes('--check')) writeFileSync(FILE, list);
  else if (readFileSync(FILE, 'utf8') !== list)
    throw new Error(`${FILE} is not what scripts/make-prices.mjs makes`);
}
