import { fetchEveryItem } from '../../shared/every-item.ts'
import type { Application } from '../../shared/schemas/application.ts'
import { type Engine, owner } from '../engine/index.ts'

/** Lists every application of a vault as its owner sees it, newest first. */
export async function listAllApplications(engine: Pick<Engine, 'as'>): Promise<Application[]> {
  const { items } = await fetchEveryItem((page) => engine.as(owner).applications.list(page))
  return items
}
