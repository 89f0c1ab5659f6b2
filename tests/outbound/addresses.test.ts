import { expect, test } from 'vitest'
import { classifyAddress } from '../../electron/outbound/addresses.ts'

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.0.1', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['169.254.169.254', 'private'],
  ['::ffff:169.254.169.254', 'private'],
  ['64:ff9b::a9fe:a9fe', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fe80::1%eth0', 'private'],
  ['0.0.0.0', 'none'],
  ['::', 'none'],
  ['::ffff:0.0.0.0', 'none'],
  ['224.0.0.1', 'none'],
  ['255.255.255.255', 'none'],
  ['ff02::1', 'none'],
  ['8.8.8.8', 'public'],
  ['172.32.0.1', 'public'],
  ['2606:4700::1111', 'public'],
  ['64:ff9b::808:808', 'public'],
])('G-02 %s is classified as %s', (address, kind) => {
  expect(classifyAddress(address)).toBe(kind)
})
