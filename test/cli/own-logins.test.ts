import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ownLogins } from '../../src/cli/own-logins.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The logins that a command gets, from those of its user. */
function copyOf(text: string, hosts?: string[]): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, '.netrc'), text)
  const logins = ownLogins({ HOME: folder }, hosts)
  onTestFinished(() => logins.remove())
  return readFileSync(logins.variables.NETRC, 'utf8')
}

it.each([
  [
    'machine api.example.test\n  login user\n  password KEY\nmachine b.test login x password y',
    'b.test',
  ],
  [
    'machine b.test login x password y machine API.example.test password "KEY \\" x" login u',
    'b.test',
  ],
  ['default login x password y\nmachine\tapi.example.test account KEY user KEY\n', 'default'],
  ['machine b.test login machine password api.example.test', 'api.example.test'],
  [
    'machine api.example.test # mine\n  login u # old: password KEY\n  password KEY\nmachine b.test password y',
    'machine b.test password y',
  ],
  ['machine api.example.test. login u\n\n# until May\npassword KEY', ''],
  ['# machine api.example.test password KEY\nmachine b.test password #y', 'password #y'],
  [
    'macdef init\nmachine api.example.test\n\nmachine "Api.Example.Test" password KEY\ndefault login x',
    'macdef init\nmachine api.example.test\n\ndefault login x',
  ],
  [
    'machine api.example.test password KEY macdef up\ncd here\n\nmachine b.test',
    'macdef up\ncd here\n\nmachine b.test',
  ],
])('the copy of %j has no login of an intercepted host, and all others', (text, stays) => {
  const copy = copyOf(text, ['api.example.test'])
  expect(copy).not.toMatch(/KEY/)
  expect(copy).toContain(stays)
})
