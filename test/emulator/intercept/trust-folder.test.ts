import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { issueCertificate } from '../../../src/emulator/intercept/authority.js'
import { createTrustFolder } from '../../../src/emulator/intercept/trust-folder.js'
import { Routes } from '../../../src/emulator/adapters/routes.js'
import { routesOf } from '../../../src/emulator/intercept/read-route.js'
import { interceptVariables } from '../../../src/emulator/intercept/variables.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const { authority } = issueCertificate({ hosts: ['a.test'], name: 'ours', now: Date.now() })
const own = issueCertificate({ hosts: ['b.test'], name: 'a company', now: Date.now() }).authority

function trustFolder(environment: Record<string, string> = {}) {
  const folder = createTrustFolder(authority, environment)
  onTestFinished(() => folder.remove())
  return folder
}

describe('a folder with trusted certificates', () => {
  it('has the authority, what was trusted before, and the roots of Node', () => {
    const file = join(temporaryFolder(), 'company.pem')
    writeFileSync(file, `# Ours\r\n${own.replaceAll('\n', '\r\n')}`)
    const { bundle, extra } = trustFolder({ REQUESTS_CA_BUNDLE: file, SSL_CERT_FILE: '/missing' })
    const text = readFileSync(bundle, 'utf8')
    expect(text.startsWith(authority)).toBe(true)
    expect(text).toContain(own)
    expect(text.match(/BEGIN CERTIFICATE/g)!.length).toBeGreaterThan(rootCertificates.length)
    expect(readFileSync(extra, 'utf8')).toBe(authority)
  })

  it('has each certificate once, also those of a folder', () => {
    const folder = temporaryFolder()
    for (const name of ['a.pem', 'b.0']) writeFileSync(join(folder, name), own)
    // Other lines than those of this file, as systems and Node have them.
    const [root] = rootCertificates
    const body = root!.replaceAll(/-----.*-----|\s/g, '').replaceAll(/.{50}/g, '$&\n')
    const wrapped = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`
    writeFileSync(join(folder, 'root.pem'), wrapped)
    mkdirSync(join(folder, 'deeper'))
    const { bundle } = trustFolder({
      SSL_CERT_DIR: folder,
      NODE_EXTRA_CA_CERTS: join(folder, 'a.pem'),
    })
    const text = readFileSync(bundle, 'utf8')
    expect(text.split(own)).toHaveLength(2)
    expect(text.replaceAll('\n', '').split(root!.replaceAll('\n', ''))).toHaveLength(2)
  })

  it('leaves out what is no certificate, because clients then refuse the whole file', () => {
    const file = join(temporaryFolder(), 'company.pem')
    const broken = '-----BEGIN CERTIFICATE-----\nbm9wZQ==\n-----END CERTIFICATE-----\n'
    writeFileSync(file, broken + own)
    const { bundle, extra } = trustFolder({ NODE_EXTRA_CA_CERTS: file })
    expect(readFileSync(extra, 'utf8')).toBe(authority + own)
    expect(readFileSync(bundle, 'utf8')).toContain(own)
    expect(readFileSync(bundle, 'utf8')).not.toContain(broken)
  })

  it('has no key', () => {
    const { bundle, extra, preload } = trustFolder()
    for (const file of [bundle, extra, preload]) {
      expect(readFileSync(file, 'utf8')).not.toMatch(/PRIVATE KEY/)
    }
  })

  it('is removed with its command, and no other one', () => {
    const folder = trustFolder()
    const next = trustFolder()
    folder.remove()
    expect(existsSync(dirname(folder.bundle))).toBe(false)
    expect(existsSync(next.bundle)).toBe(true)
  })
})

describe('a folder that others share', () => {
  it('loses what a command that was killed left, and keeps itself', () => {
    const shared = join(temporaryFolder(), 'certificates')
    createTrustFolder('of a command that was killed', {}, shared)
    const folder = createTrustFolder(authority, {}, shared)
    expect(folder.bundle).toBe(join(shared, 'bundle.pem'))
    expect(readFileSync(folder.bundle, 'utf8')).not.toContain('killed')
    folder.remove()
    expect(readdirSync(shared)).toEqual([])
  })

  it('is refused with the files of somebody else', () => {
    const shared = temporaryFolder()
    writeFileSync(join(shared, 'bundle.pem'), 'mine')
    writeFileSync(join(shared, 'other.pem'), 'mine')
    expect(() => createTrustFolder(authority, {}, shared)).toThrow('has other.pem')
    expect(readdirSync(shared)).toEqual(['bundle.pem', 'other.pem'])
  })
})

const BY = { proxy: 'http://127.0.0.1:1', routes: new Routes(routesOf([])) }

describe('the variables of an intercepted command', () => {
  it('keep the options of Node, and load a module that any version of Node accepts', () => {
    const folder = trustFolder()
    const variables = interceptVariables(BY, folder, {
      NODE_OPTIONS: '--max-old-space-size=500',
    })
    expect(variables['NODE_OPTIONS']).toBe(`--max-old-space-size=500 --require "${folder.preload}"`)
    const program = 'console.log(JSON.stringify(process.execArgv), process.env.NODE_USE_ENV_PROXY)'
    const ran = spawnSync(process.execPath, ['--eval', program], {
      env: { ...process.env, ...variables },
    })
    expect(String(ran.stderr)).toBe('')
    expect(String(ran.stdout)).toContain('1')
  })

  it('replace each variable that would lead past the emulator', () => {
    const variables = interceptVariables(BY, trustFolder(), {})
    const both = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
      name,
      name.toLowerCase(),
    ])
    expect(Object.keys(variables)).toEqual(
      expect.arrayContaining([...both, 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE']),
    )
    expect(variables['no_proxy']).toBe(variables['NO_PROXY'])
    expect(variables['NO_PROXY']).toBe('127.0.0.1,::1,localhost')
  })

  it('have a key for a judge or a teacher that is intercepted, unless the command has one', () => {
    const keyFor = (address: string[], environment = {}, key?: string) => {
      const by = { ...BY, routes: new Routes(routesOf(address)), key }
      return interceptVariables(by, trustFolder(), environment)['OPENAI_API_KEY']
    }
    const judge = ['inference=https://judge.example.test/v1']
    expect(keyFor(judge, {}, 'accepted')).toBe('accepted')
    expect(keyFor(judge, { OPENAI_API_KEY: 'mine' }, 'accepted')).toBeUndefined()
    expect(keyFor([], {}, 'accepted')).toBeUndefined()
    // The real provider would refuse it.
    expect(keyFor(judge)).toBeUndefined()
  })

  it.each([
    ['http://127.0.0.1:1', '127.0.0.1:1'],
    ['http://[::1]:1', ''],
  ])('lead calls to this machine through a proxy at %s that intercepts one', (proxy, direct) => {
    const routes = new Routes(routesOf(['inference=http://127.0.0.1:11434/v1']))
    const variables = interceptVariables({ proxy, routes }, trustFolder(), {})
    expect(variables).toMatchObject({ NO_PROXY: direct, no_proxy: direct })
  })
})
