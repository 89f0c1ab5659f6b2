import manifest from '../../../package.json' with { type: 'json' }

/** The version of this Coffer. */
export const { version } = manifest
