import type { Plugin } from 'vite'

/**
 * Escapes non-ASCII characters, so that Node stores the sources with one byte per character instead of two. This saves
 * 3 % of the processor time of a start.
 */
export function oneByte(): Plugin {
  return {
    name: 'one-byte',
    // This runs at the end of the build, because the code generator would undo the escapes.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escapeCode(file.code)
    },
  }
}

function escapeCode(code: string): string {
  // In a `String.raw` template, an escape would change the text.
  if (/String\.raw`[^`]*[^\p{ASCII}]/u.test(code))
    throw new Error('A String.raw template has characters beyond ASCII.')
  return code.replace(/[^\p{ASCII}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
