// The types of everything, in one process: the product with its tests, then the page of the browser.
//   node scripts/check-types.mjs
// As `tsc -p tsconfig.json` and `tsc -p src/web/page/tsconfig.json` would: what both read of packages is parsed once, and what
// the page imports from the rest of the product is checked with the product.
import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

const parsed = new Map();
const found = [
  ...diagnosticsOf('tsconfig.json'),
  ...diagnosticsOf('src/web/page/tsconfig.json', resolve('src/web/page')),
];
if (found.length > 0) {
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  };
  console.error(ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(found), host));
  process.exitCode = 1;
}

/** What is wrong with a project; `within` leaves out files elsewhere, which another project has. */
function diagnosticsOf(config, within = '') {
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
    config,
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => fail(diagnostic) },
  );
  const program = ts.createProgram({ rootNames: fileNames, options, host: hostFor(options) });
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => within === '' || resolve(fileName).startsWith(`${within}${sep}`));
  return [
    ...errors,
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
}

/** A compiler host that parses each file of a package once, whichever project asks for it. */
function hostFor(options) {
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile;
  host.getSourceFile = (name, settings, ...rest) => {
    if (!name.includes('/node_modules/') || !name.endsWith('.d.ts')) return parse(name, settings, ...rest);
    const key = `${name} ${JSON.stringify(settings)}`;
    if (!parsed.has(key)) parsed.set(key, parse(name, settings, ...rest));
    return parsed.get(key);
  };
  return host;
}

function fail(diagnostic) {
  console.error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  process.exit(1);
}
