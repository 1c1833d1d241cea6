/** The text of src/agents/prices/list.ts, from the installed package. */
export function makeList(): string;
