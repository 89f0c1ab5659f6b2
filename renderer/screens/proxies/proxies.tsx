import './proxies.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { loadProxies, proxyList, useProxies } from '../../parts/access/resource-lists.ts'
import { useMay, useViewAs } from '../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../parts/access/view-as-refused.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { ListFooter } from '../../parts/navigation/list-footer.tsx'
import { ListSearch } from '../../parts/navigation/list-search.tsx'
import { NoMatch } from '../../parts/navigation/no-match.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { ScreenHeader } from '../../parts/navigation/screen-header.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/loading.tsx'
import { NotFoundPanel } from '../../ui/not-found-panel.tsx'
import { DeleteProxy } from './delete-proxy.tsx'
import { Exchanges } from './exchanges.tsx'
import { followExchanges, useExchanges } from './exchanges-store.ts'
import { KeepExchangesNotice } from './keep-exchanges-notice.tsx'
import { createProxyColumns, type LastCall } from './proxy-columns.tsx'
import { ProxyDrawer } from './proxy-drawer.tsx'
import { ProxyForm } from './proxy-form.tsx'
import { strings } from './strings.ts'
import { TryProxy } from './try-proxy.tsx'

const t = strings
const PLACEHOLDER_ROWS = 6
const views = ['proxies', 'try', 'exchanges'] as const
type ProxiesView = (typeof views)[number]

/** The list of proxies, *Try it*, and the saved calls. */
export function Proxies() {
  const { query } = useRoute()
  const { as } = useViewAs()
  const isOwner = as === null
  const mayRead = useMay('proxy:read')
  const view: ProxiesView = (isOwner && views.find((each) => each === query.view)) || 'proxies'
  const openNewForm = () => isOwner && navigate(toHref('proxies', null, { new: '1' }))
  useEffect(() => (isOwner ? followExchanges() : undefined), [isOwner])
  useKeys({ 'mod+n': openNewForm, n: openNewForm })
  useKeys(
    { escape: () => navigate(toHref('proxies', null, { view: 'exchanges' })) },
    query.exchange !== undefined,
  )
  return (
    <>
      <ScreenHeader
        screen="proxies"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        create={t.create}
        onCreate={openNewForm}
      />
      {!mayRead ? (
        <ViewAsRefused permission="proxy:read" />
      ) : view === 'try' ? (
        <TryProxy
          key={`${query.proxy} ${query.method} ${query.path}`}
          proxy_id={query.proxy}
          method={query.method}
          path={query.path}
        />
      ) : view === 'exchanges' ? (
        <Exchanges id={query.exchange} />
      ) : (
        <List isOwner={isOwner} />
      )}
    </>
  )
}

function List({ isOwner }: { isOwner: boolean }) {
  const { rows: proxies, total, loaded, problem } = useProxies()
  const { rows: exchanges } = useExchanges()
  const list = useRows('proxies', proxies, {
    isOwner,
    getTexts: ({ id, key, name, destination_url }) => [id, key, name, destination_url],
    listOwnActions: (id) =>
      isOwner
        ? [
            {
              label: t.drawer.tryIt,
              icon: 'play',
              run: () => navigate(toHref('proxies', null, { view: 'try', proxy: id })),
            },
          ]
        : [],
  })
  const deletedProxy = proxies.find((each) => each.id === list.deleting)
  const { id, rows, open: proxy, form, search, isSearch, close, edit, setDeleting } = list

  return (
    <>
      {proxies.length > 0 && <ListSearch label={t.search} {...search} />}
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={describeError(problem)} onRetry={proxyList.read} />
          </div>
        ) : loaded && proxies.length === 0 ? (
          <NoProxies isOwner={isOwner} />
        ) : loaded && rows.length === 0 ? (
          <NoMatch what={t.one} text={t.searched} onClear={() => search.onChange('')} />
        ) : (
          <Grid
            {...list.gridProps}
            label={t.grid}
            columns={createProxyColumns(isOwner ? indexLastCalls(exchanges) : null)}
            count={loaded ? rows.length : PLACEHOLDER_ROWS}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
          />
        )}
        <PanelBoundary {...list.beside}>
          {form && (list.isNew || proxy) ? (
            <ProxyForm
              key={list.isNew ? 'new' : id}
              proxy={list.isNew ? null : (proxy ?? null)}
              onClose={list.cancel}
              onSaved={list.leaveForm}
            />
          ) : proxy ? (
            <ProxyDrawer
              key={proxy.id}
              proxy={proxy}
              calls={exchanges}
              onClose={close}
              onEdit={edit}
              onDelete={() => setDeleting(proxy.id)}
            />
          ) : (
            id !== null &&
            loaded && <NotFoundPanel label={t.drawer.label} text={t.drawer.gone} onClose={close} />
          )}
        </PanelBoundary>
      </div>
      <ListFooter
        nouns={[t.one, t.many]}
        counts={loaded ? { found: isSearch ? rows.length : null, known: proxies.length, total } : null}
      />
      {deletedProxy && (
        <DeleteProxy proxy={deletedProxy} onDeleted={close} onClose={() => setDeleting(null)} />
      )}
    </>
  )
}

/** Maps each proxy's id to its newest saved call. `exchanges` must be sorted newest first. */
function indexLastCalls(
  exchanges: readonly (LastCall & { readonly proxy_id: string | null })[],
): ReadonlyMap<string, LastCall> {
  const calls = new Map<string, LastCall>()
  for (const call of exchanges) {
    if (call.proxy_id !== null && !calls.has(call.proxy_id)) calls.set(call.proxy_id, call)
  }
  return calls
}

function NoProxies({ isOwner }: { isOwner: boolean }) {
  const { runAction, problem, state } = useAction()
  const createFirstProxy = () =>
    runAction(async () => {
      const { id } = await vault.proxies.create({
        name: t.empty.firstName,
        destination_url: 'https://echo.coffer.test',
      })
      await loadProxies()
      navigate(toHref('proxies', null, { view: 'try', proxy: id }))
    })
  return (
    <Empty
      icon="proxy"
      title={t.empty.title}
      text={t.empty.text}
      action={
        isOwner && (
          <div className="proxies-start">
            <Button loading={state === 'running'} onClick={createFirstProxy}>
              {t.empty.first}
            </Button>
            <span className="faint">{t.empty.firstHelp}</span>
            <Problem of={problem} />
          </div>
        )
      }
    >
      {isOwner && <KeepExchangesNotice />}
    </Empty>
  )
}
