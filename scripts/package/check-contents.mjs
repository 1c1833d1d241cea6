// What must be true of the files in the package, beyond that they work. Each check throws what is not so.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { readRecord } from './metafiles.mjs';
import { declarationsBelow, entriesOf, reachedFrom } from './types.mjs';

const MAX_SCRIPTED_BYTES = 300_000;
/** What others may do with our package must not depend on a licence that nobody has read. */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];
const SURFACES = ['cli', 'tui', 'mcp', 'web', 'demo', 'diagnostics'];

/** `target` is the unpacked package; the working directory is the tree that it was packed from. */
export function checkContents(target, manifest) {
  checkScriptedAgent(target);
  checkTypes(target, manifest);
  const parties = partiesIn(readFileSync(join(target, 'dist/THIRD-PARTY-NOTICES'), 'utf8'));
  checkEveryBundleIsRecorded(target);
  checkNotices(parties);
  checkSbom(JSON.parse(readFileSync(join(target, 'dist/sbom.cdx.json'), 'utf8')), parties, manifest);
}

function checkScriptedAgent(target) {
  const agents = join(target, 'dist/agents');
  const size = readdirSync(agents).reduce((sum, name) => sum + statSync(join(agents, name)).size, 0);
  claim(size <= MAX_SCRIPTED_BYTES, `the scripted agent has at most ${MAX_SCRIPTED_BYTES} bytes (${size})`);
}

function checkTypes(target, manifest) {
  const types = join(target, 'dist/types');
  const surfaces = readdirSync(types).filter((name) => SURFACES.includes(name));
  claim(surfaces.length === 0, `no types of surfaces are packed (found ${surfaces.join()})`);
  const reached = reachedFrom(entriesOf(manifest).map((path) => join(target, relative(process.cwd(), path))));
  const others = declarationsBelow(types).filter((path) => !reached.has(path));
  claim(others.length === 0, `only types that an entry reaches are packed (found ${others.join()})`);
}

/** A bundle that the record does not know could hold anybody's code. */
function checkEveryBundleIsRecorded(target) {
  const recorded = readRecord();
  const programs = readdirSync(join(target, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?js$/.test(entry.name))
    .map((entry) => relative(target, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const unknown = programs.filter((path) => recorded[path] === undefined);
  claim(programs.length > 0 && unknown.length === 0, `the build knows every bundle (not ${unknown.join()})`);
}

function checkNotices(parties) {
  const named = new Set(parties.map(({ name, version }) => `${name}@${version}`));
  claim(named.size === parties.length, 'the notices name each package once');
  const missing = [...new Set(expectedParties())].filter((party) => !named.has(party));
  claim(
    missing.length === 0,
    `the notices name every package whose code is in a bundle (not ${missing.join()})`,
  );
  for (const { name, licence, text } of parties) {
    claim(LICENCES.includes(licence), `${name} has a licence that we know (${licence})`);
    claim(text.length > 400, `the licence of ${name} is there in full`);
    const hasTerms = /permission|redistribution|terms and conditions/i.test(text);
    claim(hasTerms, `the licence of ${name} says what is permitted`);
  }
}

/** Found in another way than the build does it: by walking up from each file to the manifest of its package. */
function expectedParties() {
  const files = new Set(Object.values(readRecord()).flatMap(({ inputs }) => Object.keys(inputs)));
  return [...files].flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    const inside = [...text.matchAll(/\.pnpm\/((?:@[^\s/+]+\+)?[^\s/@]+@\d[^\s/_(]*)/g)].map(([, name]) =>
      name.replace('+', '/'),
    );
    return path.includes('node_modules/') ? [nearestPackage(dirname(path)), ...inside] : [];
  });
}

function nearestPackage(directory) {
  const file = join(directory, 'package.json');
  const { name, version } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  if (name !== undefined && version !== undefined) return `${name}@${version}`;
  return nearestPackage(dirname(directory));
}

function partiesIn(notices) {
  return notices
    .split(/^-{80}\n/m)
    .slice(1)
    .map((section) => {
      const [, name, version, licence, text] =
        /^(\S+) (\S+)(?: \(contained in \S+\))?\nLicence: (.+)\n\n([\s\S]+)$/.exec(section) ?? [];
      claim(
        text !== undefined,
        `every notice has a name, a version, a licence and its text: ${section.slice(0, 80)}`,
      );
      return { name, version, licence, text };
    });
}

function checkSbom({ bomFormat, specVersion, metadata, components, dependencies }, parties, manifest) {
  claim(bomFormat === 'CycloneDX' && specVersion === '1.6', 'the SBOM is CycloneDX 1.6');
  const { name, version } = metadata.component;
  claim(`${name}@${version}` === `${manifest.name}@${manifest.version}`, 'the SBOM is about this package');
  const line = (part) => `${part.name} ${part.version} ${part.licence}`;
  const inSbom = components.map((part) =>
    line({ ...part, licence: part.licenses[0].license?.id ?? part.licenses[0].expression }),
  );
  claim(inSbom.join('\n') === parties.map(line).join('\n'), 'the SBOM lists what the notices list');
  const refs = new Set([metadata.component, ...components].map((part) => part['bom-ref']));
  const known = dependencies
    .flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
    .every((ref) => refs.has(ref));
  claim(
    refs.size === components.length + 1 && known,
    'every reference in the SBOM is to one of its components',
  );
}

export function claim(isTrue, what) {
  if (!isTrue) throw new Error(`not true: ${what}`);
}
