/** The build fills this in from package.json. */
declare const __HOLDFAST_VERSION__: string | undefined;

/** The version of this package. */
export const VERSION: string =
  typeof __HOLDFAST_VERSION__ === 'string' ? __HOLDFAST_VERSION__ : '0.0.0-source';
