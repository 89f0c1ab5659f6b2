import { stripTypeScriptTypes } from 'node:module'

/** Removes the types, like Node itself. A project with Babel, SWC or ts-jest does not need this. */
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) }
