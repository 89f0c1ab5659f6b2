import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'

const SIZE = 100

/** Every proxy of a vault, as its owner sees them, newest first. */
export async function allProxies(engine: Engine): Promise<ProxyObject[]> {
  const all: ProxyObject[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await engine.as(owner).proxies.list({ page, size: SIZE })
    all.push(...data)
    if (page >= pagination.total_pages) return all
  }
}
