/** The options that say which session and story a command is about. */
export const SCOPE_OPTIONS = {
  session: {
    type: 'string',
    value: '<id>',
    about: 'which session; else RALPH_SESSION, else the only active one',
  },
  story: { type: 'string', value: '<id>', about: 'which story; else RALPH_STORY, else the one in scope' },
} as const;

export const TASK_OPTION = { type: 'string', value: '<id>', about: 'the task it is about' } as const;
