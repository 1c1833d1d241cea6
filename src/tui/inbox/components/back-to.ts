import { createContext } from 'react';

/** Where `q` leads from a question, in one word. */
export const BackTo = createContext('list');
