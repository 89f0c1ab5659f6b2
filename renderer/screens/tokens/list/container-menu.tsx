import { Button, Menu, ScrollArea } from '@mantine/core'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { buildContainerTree } from '../../../parts/tokens/counts.ts'
import { loadCounts, useCounts } from '../../../parts/tokens/counts-store.ts'
import { Icon } from '../../../ui/icon.tsx'
import { strings } from '../strings.ts'
import { useTokens } from './tokens-store.ts'

const t = strings.filters

type Props = { readonly value: string | undefined; readonly onPick: (scope: string | undefined) => void }

/** A tree of containers, each with the number of tokens in and below it. */
export function ContainerMenu({ value, onPick }: Props) {
  const { counts } = useCounts()
  const { as } = useViewAs()
  const rows = useTokens((state) => state.rows)
  // While viewing as an application, only containers of loaded tokens are known, without counts.
  const loadedCounts = rows.flatMap(({ containers, type }) =>
    containers.map((container) => ({ type, container, tokens: 1 })),
  )
  const tree = buildContainerTree(as ? loadedCounts : counts)
  return (
    <Menu position="bottom-start" width={320} onOpen={loadCounts}>
      <Menu.Target>
        <Button
          variant={value === undefined ? 'default' : 'light'}
          leftSection={<Icon name="folder" size={14} />}
          rightSection={<Icon name="down" size={12} />}
        >
          {t.container}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onPick(undefined)}>{t.allContainers}</Menu.Item>
        <Menu.Divider />
        <ScrollArea.Autosize mah={360}>
          {tree.map(({ scope, name, depth, tokens }) => (
            <Menu.Item
              key={scope}
              onClick={() => onPick(scope)}
              pl={10 + depth * 16}
              leftSection={<Icon name="folder" size={14} />}
              rightSection={!as && <span className="faint">{tokens.toLocaleString('en')}</span>}
            >
              <span className="mono">
                <span className="visually-hidden">{scope.slice(0, -`${name}/`.length)}</span>
                {name}
              </span>
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  )
}
