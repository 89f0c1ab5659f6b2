import type { Application } from '../../shared/schemas/application.ts'
import { owner } from '../engine/door/call.ts'
import type { Engine } from '../engine/engine.ts'

const SIZE = 100

/** Every application of a vault, as its owner sees them, newest first. */
export async function allApplications(engine: Pick<Engine, 'as'>): Promise<Application[]> {
  const all: Application[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await engine.as(owner).applications.list({ page, size: SIZE })
    all.push(...data)
    if (page >= pagination.total_pages) return all
  }
}
