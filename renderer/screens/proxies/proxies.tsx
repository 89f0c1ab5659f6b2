import { Button, Stack } from '@mantine/core'
import { useEffect } from 'react'
import { loadProxies, proxyList } from '../../parts/access/resource-lists.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { goTo, navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { ResourceList, useResourceRows } from '../../parts/resource-screen/resource-list.tsx'
import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Exchanges } from './exchanges.tsx'
import { followExchanges, useExchanges } from './exchanges-store.ts'
import { KeepExchangesNotice } from './keep-exchanges-notice.tsx'
import { createProxyColumns, type LastCall } from './proxy-columns.tsx'
import { ProxyDrawer } from './proxy-drawer.tsx'
import { ProxyForm } from './proxy-form.tsx'
import { strings as t } from './strings.ts'
import { TryProxy } from './try-proxy.tsx'

/** The list of proxies, *Try it*, and the saved calls. */
export function Proxies() {
  const { exchange, ...query } = useRoute().query
  const isOwner = useIsOwner()
  useEffect(() => (isOwner ? followExchanges() : undefined), [isOwner])
  return (
    <ResourceScreen
      screen="proxies"
      strings={t}
      permissions={proxyList.permissions}
      views={{
        proxies: <List isOwner={isOwner} />,
        try: <TryProxy key={JSON.stringify(query)} {...query} />,
        exchanges: <Exchanges id={exchange} />,
      }}
    />
  )
}

function List({ isOwner }: { isOwner: boolean }) {
  const { rows: exchanges } = useExchanges()
  const list = useResourceRows('proxies', proxyList, {
    getTexts: ({ id, key, name, destination_url }) => [id, key, name, destination_url],
    listOwnActions: (id) =>
      isOwner
        ? [{ label: t.drawer.tryIt, icon: 'play', run: goTo('proxies', null, { view: 'try', proxy: id }) }]
        : [],
  })
  return (
    <ResourceList
      list={list}
      strings={t}
      columns={createProxyColumns(isOwner ? indexLastCalls(exchanges) : null)}
      empty={<NoProxies isOwner={isOwner} />}
      renderForm={(proxy, actions) => <ProxyForm proxy={proxy} {...actions} />}
      renderDrawer={(proxy, actions) => <ProxyDrawer proxy={proxy} calls={exchanges} {...actions} />}
      onRemove={(id) => vault.proxies.remove({ id })}
    />
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
      {...t.empty}
      action={
        isOwner && (
          <Stack gap={10} align="center">
            <Button loading={state === 'running'} onClick={createFirstProxy}>
              {t.empty.first}
            </Button>
            <span className="faint">{t.empty.firstHelp}</span>
            <Problem of={problem} />
          </Stack>
        )
      }
    >
      {isOwner && <KeepExchangesNotice />}
    </Empty>
  )
}
