import { BasisTheory } from '@basis-theory/basis-theory-js'

// What has no element in it goes to the interface by the package's own client, which calls by http only localhost.
const line = document.querySelector<HTMLScriptElement>('script[src$="/elements.js"]')
const apiBaseUrl = new URL(line?.src ?? '').origin.replace('127.0.0.1', 'localhost')

Object.assign(window, {
  start: (key: string) => new BasisTheory().init(key, { elements: true, apiBaseUrl }),
})
