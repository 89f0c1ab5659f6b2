import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { createFollowedList } from '../access/followed-list.ts'
import { getReadClient } from '../access/view-as.ts'

export const proxyList = createFollowedList<ProxyObject>('proxy', 'proxy:read', (page) =>
  getReadClient().proxies.list(page),
)
export const { useList: useProxies, load: loadProxies, read: readProxies } = proxyList
