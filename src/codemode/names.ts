/** The source of the tool that runs scripts. Small, because the host knows it before anything else is loaded. */

/** No configured server can have this name. */
export const SCRIPTS_NAME = '@codemode';
