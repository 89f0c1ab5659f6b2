import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { go } from '../route.ts'
import { hrefOf } from '../route-text.ts'
import { strings } from '../strings.ts'
import { Icon } from '../ui/icon.tsx'
import { loadOperations, useBuilder } from './builder-store.ts'
import type { LogRecord } from './record.ts'

/** Opens the builder with the operation of a record, for the same one and about the same thing. */
export function SendAgain({ record }: { record: LogRecord }) {
  const { operation, entity_id, actor_id, actor_type } = record
  const known = useBuilder(({ operations }) => operations.some(({ id }) => id === operation))
  useEffect(() => {
    loadOperations().catch(() => undefined)
  }, [])
  if (!known) return null
  const as = actor_type === 'application' ? actor_id : actor_type === 'owner' ? 'owner' : null
  return (
    <Button
      variant="default"
      leftSection={<Icon name="play" size={14} />}
      onClick={() =>
        go(
          hrefOf('requests', null, {
            new: '1',
            op: operation,
            about: entity_id ?? undefined,
            as: as ?? undefined,
          }),
        )
      }
    >
      {strings.requests.drawer.again}
    </Button>
  )
}
