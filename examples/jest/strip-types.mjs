import { stripTypeScriptTypes } from 'node:module'

/** Takes the types away, as Node itself does. A project with Babel, SWC or ts-jest keeps what it has. */
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) }
