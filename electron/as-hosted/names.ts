/** What a name of the hosted service answers. */
export type NameRole = 'api' | 'scripts' | 'three-ds' | 'cdn' | 'echo'

/** The names of the hosted service that Coffer answers, those of the vendor's own stages included (rule H-01). */
export const serviceNames: Readonly<Record<string, NameRole>> = {
  'api.basistheory.com': 'api',
  'api.test.basistheory.com': 'api',
  'js.basistheory.com': 'scripts',
  'elements.basistheory.com': 'scripts',
  '3ds.basistheory.com': 'three-ds',
  'cdn.basistheory.com': 'cdn',
  'echo.basistheory.com': 'echo',
  'api.btsandbox.com': 'api',
  'api.flock-dev.com': 'api',
  'js.flock-dev.com': 'scripts',
  '3ds.flock-dev.com': 'three-ds',
  'cdn.flock-dev.com': 'cdn',
}

/** The paths of each name, with the listener's path. One that ends in `/` stands for all paths below it. */
const paths: Readonly<Record<Exclude<NameRole, 'echo'>, readonly (readonly [path: string, own: string])[]>> =
  {
    api: [['/', '/']],
    scripts: [
      ['/elements/', '/elements/'],
      ['/web-elements/', '/web-elements/'],
      ['/api/', '/api/'],
      ['/sri/', '/sri/'],
      ['/sri', '/sri'],
      ['/elements', '/elements'],
      ['/elements.js', '/elements.js'],
    ],
    'three-ds': [
      ['/web-threeds/', '/web-threeds/'],
      ['/v0/', '/web-threeds/v0/'],
      ['/v0.1/', '/web-threeds/v0.1/'],
      ['/index.js', '/web-threeds/index.js'],
      ['/pages/', '/3ds/pages/'],
      ['/3ds/', '/3ds/'],
    ],
    cdn: [
      ['/keys/webhooks.v1.key', '/.well-known/webhooks.v1.key'],
      ['/.well-known/webhooks.v1.key', '/.well-known/webhooks.v1.key'],
    ],
  }

/** Returns the listener's path for a path of a name, with its query; null if the name does not answer the path. */
export function findOwnPath(role: Exclude<NameRole, 'echo'>, url: string): string | null {
  const path = url.split('?', 1)[0] ?? ''
  // The root of the scripts is the oldest script.
  if (role === 'scripts' && path === '/') return `/elements.js${url.slice(1)}`
  const entry = paths[role].find(([name]) => (name.endsWith('/') ? path.startsWith(name) : path === name))
  return entry ? entry[1] + url.slice(entry[0].length) : null
}
