import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'

const SIZE = 100

/** Every reactor of a vault, as its owner sees them, newest first. */
export async function allReactors(engine: Pick<Engine, 'as'>): Promise<ReactorObject[]> {
  const all: ReactorObject[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await engine.as(owner).reactors.list({ page, size: SIZE })
    all.push(...data)
    if (page >= pagination.total_pages) return all
  }
}
