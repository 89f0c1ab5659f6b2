import { invalid } from '../../../../shared/errors.ts'
import { filter } from '../filter.ts'
import { textOf } from '../value.ts'

/** `base64_url_safe_encode`, a standard filter liquidjs does not have (rule E-02). */
export const base64UrlSafeEncode = filter('base64_url_safe_encode', [], () => (value) => {
  return Buffer.from(textOf(value), 'utf8').toString('base64').replaceAll('+', '-').replaceAll('/', '_')
})

/** `base64_url_safe_decode`, a standard filter liquidjs does not have (rule E-02). */
export const base64UrlSafeDecode = filter('base64_url_safe_decode', [], () => (value) => {
  const text = textOf(value)
  if (!/^[\w-]*={0,2}$/.test(text)) throw invalid('', 'must give the filter base64_url_safe_decode base64url')
  return Buffer.from(text, 'base64url').toString('utf8')
})
