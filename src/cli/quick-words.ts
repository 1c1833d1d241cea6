/**
 * The first words of the commands that agents and scripts start often. They are one CommonJS file of their own, which Node
 * loads faster than the chunks of the others; see docs/decisions/0007.
 */
export const QUICK_WORDS = ['ask', 'answer', 'reject', 'questions', 'change', 'paths'];
