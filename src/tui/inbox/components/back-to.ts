import { createContext } from 'react';

/** Where `q` leads from a question, in a word. */
export const BackTo = createContext('list');
