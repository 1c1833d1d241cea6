/** How a plan is run, whether now or from the queue. */
export const RUN_OPTIONS = {
  agent: { type: 'string', value: '<name>', about: 'which agent (see `holdfast agents`)' },
  account: {
    type: 'string',
    value: '<name>',
    about: 'which of your accounts (`accounts` in config.json); the login of the agent if absent',
  },
  model: { type: 'string', value: '<name>', about: 'which model, as the agent calls it' },
  verify: {
    type: 'strings',
    value: '<command>',
    about: 'a check that must pass, run with `sh -c`; guessed from the project if absent',
  },
  phases: {
    type: 'string',
    value: '<preset>',
    about:
      'tdd (default), tdd-strict (a failing test per criterion, 3 documents), or work (one phase, no tests of its own)',
  },
  permissions: {
    type: 'string',
    value: '<mode>',
    about: 'edits (default), ask (a question in the inbox), or bypass',
  },
  maxTime: { type: 'string', value: '<duration>', about: 'maximum working time, such as 2h' },
  maxTokens: { type: 'number', value: '<n>', about: 'maximum number of tokens' },
  maxCost: {
    type: 'number',
    value: '<dollars>',
    about: 'maximum cost in dollars, as reported or by list price',
  },
} as const;
