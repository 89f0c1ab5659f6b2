import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { passOver } from '../../parts/incidents.ts'
import { keepLoaded } from '../../parts/reach.ts'
import { go } from '../../parts/route.ts'
import { hrefOf } from '../../parts/route-text.ts'
import { strings } from '../../parts/strings.ts'
import { Icon } from '../../ui/icon.tsx'
import { loadOperations, useBuilder } from './builder-store.ts'

/** Opens the builder with what a record knows of its request. */
export function SendAgain({ record: { id, operation } }: { record: FullLog }) {
  const known = useBuilder(({ operations }) => operations.some((each) => each.id === operation))
  useEffect(() => keepLoaded(() => loadOperations().catch(passOver)), [])
  if (!known) return null
  return (
    <Button
      variant="default"
      leftSection={<Icon name="play" size={14} />}
      onClick={() => go(hrefOf('requests', null, { new: '1', op: operation, again: id }))}
    >
      {strings.requests.drawer.again}
    </Button>
  )
}
