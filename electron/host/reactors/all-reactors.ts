import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { type Engine, owner } from '../../engine/index.ts'

/** Lists every reactor of a vault as its owner sees it, newest first. */
export async function listAllReactors(engine: Pick<Engine, 'as'>): Promise<ReactorObject[]> {
  const { items } = await fetchEveryItem((page) => engine.as(owner).reactors.list(page))
  return items
}
