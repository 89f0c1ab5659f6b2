import { createExamples } from './example.ts'

export const hash = createExamples(
  'hash',
  [
    "hmac: algorithm='sha-256', key",
    'The HMAC of the UTF-8 text with sha-1, sha-256 or sha-512: bytes for to_base16 or to_base64, otherwise base16. With only a key, it uses sha-256.',
    [
      "{{ data | hmac: 'sha-256', 'key' | to_base16 }}",
      'The quick brown fox jumps over the lazy dog',
      'F7BC83F430538424B13298E6AA6FB143EF4D59A14946175997479DBC2D1A3CD8',
    ],
    [
      "{{ data | hmac: 'key' | to_base64 }}",
      'The quick brown fox jumps over the lazy dog',
      '97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=',
    ],
    [
      "{{ data | hmac: 'sha-1', 'key' }}",
      'The quick brown fox jumps over the lazy dog',
      'DE7C9B85B8B78AA6BC8A7A36F70A90701C9DB4D9',
    ],
  ],
  [
    'to_base64',
    'Encodes the UTF-8 bytes of text, or the bytes from hmac, as base64. null is an error.',
    ['{{ data | to_base64 }}', 'one?>', 'b25lPz4='],
  ],
  [
    'to_base16',
    'Encodes the UTF-8 bytes of text, or the bytes from hmac, as base16 in upper case. null is an error.',
    ['{{ data | to_base16 }}', 'Zoë', '5A6FC3AB'],
  ],
  ['base64_encode', 'Encodes text as base64.', ['{{ data | base64_encode }}', 'one?>', 'b25lPz4=']],
  ['base64_decode', 'Decodes base64 to text.', ['{{ data | base64_decode }}', 'b25lPz4=', 'one?>']],
  [
    'base64_url_safe_encode',
    'Encodes text as URL-safe base64.',
    ['{{ data | base64_url_safe_encode }}', 'one?>>', 'b25lPz4-'],
  ],
  [
    'base64_url_safe_decode',
    'Decodes URL-safe base64 to text.',
    ['{{ data | base64_url_safe_decode }}', 'b25lPz4-', 'one?>>'],
  ],
)
