import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SavedSearch, TokenSort } from '../../../../shared/find.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { useAction } from '../../../parts/forms/use-action.ts'
import { describeError } from '../../../parts/messages/describe-error.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { navigate } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { Failure } from '../../../ui/failure.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { IconButton } from '../../../ui/icon-buttons.tsx'
import { strings } from '../strings.ts'
import { type Filters, formatSortParameter, isFiltered } from './token-filters.ts'

type SavedSearchesState = {
  /** Null until loaded. */
  readonly saved: readonly SavedSearch[] | null
  readonly problem: unknown
}

const useSaved = createVaultStore<SavedSearchesState>(() => ({ saved: null, problem: null }))

const latestLoad = createRequestGuard()

async function loadSaved(): Promise<void> {
  const isCurrent = latestLoad.start()
  try {
    const { data } = await vault.tokens.savedSearches()
    if (isCurrent()) useSaved.setState({ saved: data, problem: null })
  } catch (problem) {
    if (isCurrent()) useSaved.setState({ problem })
  }
}

const t = strings.saved

type Props = { readonly filters: Filters; readonly sort: TokenSort }

/** The searches saved with the vault, and a field to save the current one. */
export function FilterSaved({ filters, sort }: Props) {
  const [opened, setOpened] = useState(false)
  const [renaming, setRenaming] = useState<SavedSearch | null>(null)
  const { saved, problem: loadProblem } = useSaved()
  const { runAction, problem, state } = useAction()
  const list = useRef<HTMLDivElement>(null)
  const changeSaved = (run: () => Promise<unknown>) =>
    runAction(async () => {
      await run()
      await loadSaved()
      // The element that had the focus was removed.
      list.current?.focus()
    })
  const query = formatFilterQuery(filters, sort)
  function removeSearch(search: SavedSearch) {
    return changeSaved(async () => {
      await vault.tokens.removeSearch({ id: search.id })
      showToast(t.removed(search.name), {
        undo: async () => {
          await vault.tokens.saveSearch(search)
          await loadSaved()
        },
      })
    })
  }
  return (
    <Popover
      opened={opened}
      onChange={(now) => {
        setOpened(now)
        setRenaming(null)
      }}
      width={320}
      position="bottom-end"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          variant="default"
          rightSection={<Icon name="down" size={12} />}
          onClick={() => {
            setOpened(!opened)
            if (!opened) void loadSaved()
          }}
        >
          {t.label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.label}>
        <Stack gap="xs" ref={list} tabIndex={-1}>
          {saved?.length === 0 && (
            <Text size="xs" c="dimmed">
              {t.none}
            </Text>
          )}
          {saved?.map((search) =>
            renaming?.id === search.id ? (
              <NameForm
                key={search.id}
                label={t.newName}
                name={search.name}
                action={t.rename}
                running={state === 'running'}
                onName={(name) => {
                  setRenaming(null)
                  void changeSaved(() => vault.tokens.saveSearch({ ...search, name }))
                }}
              />
            ) : (
              <Group gap={2} wrap="nowrap" key={search.id}>
                <Button
                  flex={1}
                  miw={0}
                  variant={search.query === query ? 'light' : 'subtle'}
                  color="gray"
                  onClick={() => {
                    setOpened(false)
                    navigate(toHref('tokens', null, Object.fromEntries(new URLSearchParams(search.query))))
                  }}
                >
                  <span className="clip">{search.name}</span>
                </Button>
                <IconButton
                  icon="pencil"
                  label={t.renameThis(search.name)}
                  onClick={() => setRenaming(search)}
                />
                <IconButton
                  icon="trash"
                  label={t.removeThis(search.name)}
                  onClick={() => removeSearch(search)}
                />
              </Group>
            ),
          )}
          {isFiltered(filters) && !renaming && !saved?.some((each) => each.query === query) && (
            <NameForm
              label={t.name}
              name=""
              action={t.save}
              running={state === 'running'}
              onName={(name) =>
                changeSaved(() => vault.tokens.saveSearch({ id: crypto.randomUUID(), name, query }))
              }
            />
          )}
          {problem !== null && <Failure>{describeError(problem)}</Failure>}
          {loadProblem !== null && <Failure>{describeError(loadProblem)}</Failure>}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function formatFilterQuery(filters: Filters, sort: TokenSort): string {
  const [, query = ''] = toHref('tokens', null, {
    ...filters,
    sort: formatSortParameter(sort),
  }).split('?')
  return query
}

type NameProps = {
  readonly label: string
  readonly name: string
  readonly action: string
  readonly running: boolean
  readonly onName: (name: string) => void
}

function NameForm({ label, name, action, running, onName }: NameProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const input = String(new FormData(event.currentTarget).get('name') ?? '').trim()
        if (input !== '') onName(input)
      }}
    >
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          name="name"
          label={label}
          defaultValue={name}
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
          flex={1}
        />
        <Button type="submit" loading={running}>
          {action}
        </Button>
      </Group>
    </form>
  )
}
