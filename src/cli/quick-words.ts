/**
 * The first words of the commands that agents and scripts start often. They are one CommonJS file of their own, which Node
 * loads faster than the chunks of the others; see docs/decisions/0007.
 */
export const QUICK_WORDS = ['ask', 'answer', 'reject', 'questions', 'change', 'paths'];

/** The same for the commands that look at sessions of every kind. They have a file of their own, as they need much more. */
export const LIST_WORDS = ['status', 'sessions'];
