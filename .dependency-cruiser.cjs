// The import table is the architecture (docs/architecture.md). Changing a row deserves a decision record.
const KINDS = 'sessions/[^/]+';
const MAY_IMPORT = {
  foundation: [],
  storage: ['foundation'],
  programs: ['foundation', 'storage'],
  workspace: ['foundation', 'storage', 'programs'],
  plans: ['foundation', 'storage'],
  'client-settings': ['foundation', 'storage'],
  agents: ['foundation', 'storage', 'programs'],
  // What runs share: accounts, their windows, the budget of a day.
  accounts: ['foundation', 'storage'],
  'sessions/question': ['foundation', 'storage'],
  'sessions/conversation': ['foundation', 'storage'],
  'sessions/loop': ['foundation', 'storage'],
  'sessions/change': ['foundation', 'storage', 'plans'],
  'sessions/process': ['foundation', 'storage', 'programs', 'workspace', 'agents'],
  catalog: ['foundation', 'storage', KINDS],
  notices: ['foundation', 'storage', 'programs', 'sessions/question'],
  // What waits to be run, and the port by which a worker takes it.
  queue: ['foundation', 'storage', 'programs', 'workspace', 'plans', 'agents', KINDS],
  run: ['foundation', 'storage', 'programs', 'workspace', 'plans', 'agents', 'accounts', KINDS, 'notices'],
  hooks: ['foundation', 'storage', 'programs', 'agents', 'sessions/question', 'run'],
  worker: [
    'foundation',
    'storage',
    'programs',
    'workspace',
    'plans',
    'agents',
    KINDS,
    'notices',
    'queue',
    'run',
  ],
  // What there is of every project: read by `top`, the page and the fleet.
  overview: ['foundation', KINDS, 'run'],
  // PostgreSQL, and nothing of sessions.
  hub: ['foundation', 'storage'],
  // Several machines: the link of each, and what a person does through it.
  fleet: [
    'foundation',
    'storage',
    'programs',
    'workspace',
    KINDS,
    'queue',
    'run',
    'worker',
    'overview',
    'hub',
  ],
  // The unit of systemd, and what it starts again.
  service: ['foundation', 'storage', 'programs', 'run'],
  // Types only, foundation apart: the page of a browser uses them as they are.
  models: ['foundation', 'agents', KINDS, 'run', 'overview'],
  demo: ['foundation', 'storage', 'programs', KINDS, 'run'],
  // The registry: every action of every part. The parts themselves come in as parameters.
  operations: [
    'foundation',
    KINDS,
    'catalog',
    'notices',
    'queue',
    'run',
    'overview',
    'service',
    'hub',
    'fleet',
  ],
  app: [
    'foundation',
    'storage',
    'programs',
    'workspace',
    'plans',
    'agents',
    'accounts',
    KINDS,
    'catalog',
    'notices',
    'queue',
    'run',
    'worker',
    'hooks',
    'overview',
    'service',
    'hub',
    'fleet',
    'client-settings',
    'operations',
  ],
  // The names of a specification over a kind and what it needs from the process that uses them.
  published: ['foundation', 'storage', 'programs', 'agents', KINDS, 'catalog', 'app'],
  // What users of the library test with: nothing of the product imports it.
  testing: ['foundation', 'storage', 'programs', 'agents'],
  mcp: ['foundation', KINDS, 'operations', 'app'],
  tui: ['foundation', KINDS, 'agents', 'catalog', 'run', 'overview', 'models', 'app'],
  cli: [
    'foundation',
    KINDS,
    'agents',
    'catalog',
    'notices',
    'queue',
    'run',
    'worker',
    'hooks',
    'overview',
    'service',
    'fleet',
    'models',
    'demo',
    'operations',
    'app',
    'mcp',
    'tui',
    'web/server',
  ],
  // What the page and its server say to each other: types and names.
  'web/contract': [
    'foundation',
    'sessions/question',
    'sessions/conversation',
    'catalog',
    'run',
    'overview',
    'models',
    'operations',
  ],
  'web/server': [
    'foundation',
    'storage',
    KINDS,
    'catalog',
    'run',
    'overview',
    'models',
    'operations',
    'app',
    'web/contract',
  ],
  // Browser code: nothing of Node, and of the product what runs in a browser.
  'web/page': ['foundation', 'models', 'web/contract'],
};

const TEST = '\\.test\\.tsx?$';

const table = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `imports-of-${folder.replace('/', '-')}`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: TEST },
  to: { path: '^src/', pathNot: [`^src/${folder}/`, ...allowed.map((name) => `^src/${name}/`)] },
}));

const throughIndex = Object.keys(MAY_IMPORT).map((folder) => ({
  name: `enter-${folder.replace('/', '-')}-through-its-index`,
  severity: 'error',
  // The published names of a kind need more of it than the rest of the product does.
  // The registry takes the operations of each part by their file, without everything else of it.
  from: {
    path: '^src/',
    // The index of the foundation has what needs node; models take what does not, by file.
    pathNot: [
      `^src/${folder}/`,
      '^src/published/',
      // The port of drivers and the shape of a script, without the drivers.
      ...(folder === 'agents' ? ['^src/testing/'] : []),
      '^src/operations/index\\.ts$',
      TEST,
      ...(folder === 'foundation' ? ['^src/models/', '^src/web/(contract|page)/'] : []),
    ],
  },
  to: {
    path: `^src/${folder}/`,
    pathNot: [
      `^src/${folder}/index\\.ts$`,
      // A command loads these lazily by file, so that each lands in a chunk of its own.
      '^src/mcp/serve\\.ts$',
      // Rooms of it are entered by file for the same reason.
      '^src/app/(base|config|holdfast|open-directory|open-web|services|[a-z]+/[a-z-]+)\\.ts$',
      // Names and forms alone: the rest of it is loaded where a fleet is set.
      '^src/fleet/(move-)?operations\\.ts$',
      // For the entries of the command line, which load nothing else.
      '^src/foundation/version\\.ts$',
      // What belongs to no part of its own, for the command that is it: the registry has all of the product.
      '^src/operations/(paths|pocket|settings|web)\\.ts$',
      // The settings of a loop's phases, for the config that every command reads.
      '^src/sessions/loop/policies/presets\\.ts$',
      '^src/run/(questions/ask-permission|report/run-status|records/run-memory|records/run-words|open/steer-run|open/stopped-run|turn/chat-start|turn/take-turn|journal/keep-journals|journal/run-start|worktree/errors|worktree/record|journal/describe-run)\\.ts$',
      // Names and forms alone, for the config that every command reads.
      '^src/notices/settings\\.ts$',
      // Web Push is loaded where a device asked for it; where it is known whether one did, by everybody.
      '^src/notices/channels/push/(index|vapid-path)\\.ts$',
      // What a session that is started needs of the catalog.
      '^src/catalog/(all-projects|projects)\\.ts$',
      '^src/tui/[^/]+/(open|plain|index)\\.tsx?$',
      '^src/web/server/serve\\.ts$',
      // Types alone, a file for each part of the page.
      '^src/web/contract/sessions\\.ts$',
      '^src/models/[^/]+/index\\.ts$',
    ],
  },
}));

const onlyIn = (name, module, folders) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: [...folders.map((folder) => `^src/${folder}`), TEST] },
  to: { path: module },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...table,
    ...throughIndex,
    onlyIn('files-only-in-storage', '^(node:)?fs(/promises)?$', [
      'storage/',
      // The numbers of the flags of open(2), and no file.
      'testing/memory-file-system\\.ts',
      'agents/scripted/program/',
      // The small entry and what it consists of: nothing else of ours is loaded yet. And what stands in for node:crypto.
      'cli/programs/(entry|code-cache|direct-output|light-crypto)\\.ts',
    ]),
    onlyIn('children-only-in-programs', '^(node:)?child_process$', ['programs/', 'agents/scripted/program/']),
    {
      name: 'models-run-in-a-browser',
      comment: 'Of everything but the foundation, models take types only; no node built-ins, no packages.',
      severity: 'error',
      from: { path: '^src/models/', pathNot: TEST },
      to: { pathNot: ['^src/models/', '^src/foundation/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-contract-is-types',
      comment: 'The page takes it as it is.',
      severity: 'error',
      from: { path: '^src/web/contract/' },
      to: { pathNot: ['^src/web/contract/', '^src/foundation/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-page-has-nothing-of-node',
      severity: 'error',
      from: { path: '^src/web/page/' },
      to: { dependencyTypes: ['core'] },
    },
    onlyIn('ink-only-in-tui', '^(node_modules/)?(ink|react)(/|$)', ['tui/']),
    onlyIn('hono-only-in-the-server', '^(node_modules/)?(@hono/|hono(/|$))', ['web/server/']),
    onlyIn('preact-only-in-the-page', '^(node_modules/)?(@preact/|preact(/|$))', ['web/page/']),
    onlyIn('pg-only-in-hub', '^(node_modules/)?pg(/|$)', ['hub/']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // No rule is about them, and nobody imports them.
    exclude: { path: TEST },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
