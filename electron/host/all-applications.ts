import { fetchEveryItem } from '../../shared/every-item.ts'
import type { Application } from '../../shared/schemas/application.ts'
import { owner } from '../engine/door/call.ts'
import type { Engine } from '../engine/engine.ts'

/** Every application of a vault, as its owner sees them, newest first. */
export async function allApplications(engine: Pick<Engine, 'as'>): Promise<Application[]> {
  const { items } = await fetchEveryItem((page) => engine.as(owner).applications.list(page))
  return items
}
