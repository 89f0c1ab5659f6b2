import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { passOver } from '../../parts/connection/incidents.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { strings } from './strings.ts'

/** Opens the builder with the request of a record. */
export function SendAgain({ record: { id, operation, method, path, entity_id } }: { record: FullLog }) {
  const known = useOperations(({ operations }) => operations.some((each) => each.id === operation))
  useEffect(() => keepLoaded(() => loadOperations().catch(passOver)), [])
  // What a proxied call sent cannot be known from its record, and the builder has no form for it.
  const isProxied =
    operation.startsWith('proxies.') && path?.startsWith('/proxy') === true && !path.startsWith('/proxies')
  if (isProxied) {
    return (
      <Button
        variant="default"
        leftSection={<Icon name="play" size={14} />}
        onClick={() => go(hrefOf('proxies', null, { view: 'try', proxy: entity_id, method, path }))}
      >
        {strings.drawer.again}
      </Button>
    )
  }
  if (!known) return null
  return (
    <Button
      variant="default"
      leftSection={<Icon name="play" size={14} />}
      onClick={() => go(hrefOf('requests', null, { new: '1', op: operation, again: id }))}
    >
      {strings.drawer.again}
    </Button>
  )
}
