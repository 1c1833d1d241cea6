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
  'sessions/question': ['foundation', 'storage'],
  'sessions/conversation': ['foundation', 'storage'],
  'sessions/loop': ['foundation', 'storage'],
  'sessions/change': ['foundation', 'storage', 'plans'],
  'sessions/process': ['foundation', 'storage', 'programs', 'workspace', 'agents'],
  catalog: ['foundation', 'storage', KINDS],
  run: ['foundation', 'storage', 'programs', 'workspace', 'plans', 'agents', KINDS],
  demo: ['foundation', 'storage', 'programs', KINDS, 'run'],
  app: [
    'foundation',
    'storage',
    'programs',
    'workspace',
    'plans',
    'agents',
    KINDS,
    'catalog',
    'run',
    'client-settings',
  ],
  // The names of a specification over a kind and what it needs from the process that uses them.
  published: ['foundation', 'storage', 'programs', 'agents', KINDS, 'app'],
  mcp: ['foundation', KINDS, 'app'],
  tui: ['foundation', KINDS, 'agents', 'catalog', 'run', 'app'],
  cli: ['foundation', KINDS, 'agents', 'catalog', 'run', 'demo', 'app', 'mcp', 'tui'],
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
  from: { path: '^src/', pathNot: [`^src/${folder}/`, '^src/published/', TEST] },
  to: {
    path: `^src/${folder}/`,
    pathNot: [
      `^src/${folder}/index\\.ts$`,
      // A command loads these lazily by file, so that each lands in a chunk of its own.
      '^src/mcp/serve\\.ts$',
      '^src/app/(base|config|edit-config|open-catalog|open-changes|open-run|run|run-detached|run-log|run-records|run-status|stopped-run)\\.ts$',
      // The settings of a loop's phases, for the config that every command reads.
      '^src/sessions/loop/policies/presets\\.ts$',
      '^src/run/take-turn\\.ts$',
      '^src/tui/[^/]+/(open|plain|index)\\.tsx?$',
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
      'agents/scripted/program/',
      // The small entry and what it consists of: nothing else of ours is loaded yet.
      'cli/(entry|code-cache|direct-output)\\.ts',
    ]),
    onlyIn('children-only-in-programs', '^(node:)?child_process$', ['programs/', 'agents/scripted/program/']),
    onlyIn('ink-only-in-tui', '^(node_modules/)?(ink|react)(/|$)', ['tui/']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
