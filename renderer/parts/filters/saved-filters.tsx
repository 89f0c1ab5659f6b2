import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SavedSearch } from '../../../shared/find.ts'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import { saveKey } from '../../ui/keys/save-key.ts'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { vault } from '../connection/vault.ts'
import { useAction } from '../forms/use-action.ts'
import { describeError } from '../messages/describe-error.ts'
import { showToast } from '../messages/toast.tsx'
import { navigate } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import type { Screen } from '../navigation/screens.ts'
import { toSavedHref } from './saved-href.ts'
import { loadSaved, useSaved } from './saved-store.ts'
import { strings } from './strings.ts'

const t = strings.saved

type Props = {
  readonly screen: Screen
  /** The query of the list's route: its filters and its order. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly isFiltered: boolean
}

/** The filters of a list that are saved with the vault, and a field to save the current one. */
export function SavedFilters({ screen, query: parameters, isFiltered }: Props) {
  const [opened, setOpened] = useState(false)
  const [renaming, setRenaming] = useState<SavedSearch | null>(null)
  const { saved: all, problem: loadProblem } = useSaved()
  const saved = all?.filter((search) => search.screen === screen)
  const { runAction, problem, state } = useAction()
  const list = useRef<HTMLDivElement>(null)
  const changeSaved = (run: () => Promise<unknown>) =>
    runAction(async () => {
      await run()
      await loadSaved()
      // The element that had the focus was removed.
      list.current?.focus()
    })
  const [, query = ''] = toHref(screen, null, parameters).split('?')
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
        <ActionButton
          label={t.label}
          px={10}
          rightSection={<Icon name="down" size={12} />}
          onClick={() => {
            setOpened(!opened)
            if (!opened) void loadSaved()
          }}
        />
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
                  justify="start"
                  variant={search.query === query ? 'light' : 'subtle'}
                  color="gray"
                  onClick={() => {
                    setOpened(false)
                    navigate(toSavedHref(search))
                  }}
                >
                  <MarkedSpan className="clip" text={search.name} />
                </Button>
                <IconButton
                  icon={search.pinned ? 'pinned' : 'pin'}
                  label={search.pinned ? t.unpin(search.name) : t.pin(search.name)}
                  onClick={() =>
                    changeSaved(() => vault.tokens.saveSearch({ ...search, pinned: !search.pinned }))
                  }
                />
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
          {isFiltered && !renaming && !saved?.some((each) => each.query === query) && (
            <NameForm
              label={t.name}
              name=""
              action={t.save}
              running={state === 'running'}
              onName={(name) =>
                changeSaved(() => vault.tokens.saveSearch({ id: crypto.randomUUID(), name, screen, query }))
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
        <ActionButton variant="filled" label={action} type="submit" {...saveKey} loading={running} />
      </Group>
    </form>
  )
}
