import { lengthOf } from '../../../../shared/characters.ts'
import { invalid } from '../../../../shared/errors.ts'

/**
 * Throws `invalid` unless an id chosen by the caller, or made by an expression, may be one (T-04):
 * 3 to 400 characters, none of `# / \ + ? [ ] | & = % < > { } ^`. Compared as written: no folding of look-alikes.
 */
export function checkTokenId(id: string, path: string): void {
  const length = lengthOf(id)
  if (length < 3 || length > 400) throw invalid(path, 'must have 3 to 400 characters')
  if (/[#/\\+?[\]|&=%<>{}^]/.test(id)) {
    throw invalid(path, 'must not contain any of # / \\ + ? [ ] | & = % < > { } ^')
  }
  // SECURITY: a lone surrogate cannot be stored or put in a path, and two of them would meet as one id.
  if (/\p{Cc}/u.test(id) || !id.isWellFormed()) throw invalid(path, 'must not contain control characters')
}
