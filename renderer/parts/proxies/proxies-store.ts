import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { followedList } from '../access/followed-list.ts'
import { reader } from '../access/looking.ts'

/** The proxies of the vault. */
export const proxyList = followedList<ProxyObject>('proxy', 'proxy:read', (page) =>
  reader().proxies.list(page),
)
export const { useList: useProxies, load: loadProxies, read: readProxies } = proxyList
