/** The version of this build, from package.json by way of the build's `USHER_VERSION` define. */

declare const USHER_VERSION: string | undefined;

/** `0.0.0-dev` when run from the source. */
export const VERSION: string = typeof USHER_VERSION === 'undefined' ? '0.0.0-dev' : USHER_VERSION;
