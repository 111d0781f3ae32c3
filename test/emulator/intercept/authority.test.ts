import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { createSecureContext } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { issueCertificate } from '../../../src/emulator/intercept/authority.js'
import { has } from '../../support/programs.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const now = Date.parse('2026-11-26T12:00:00Z')
const options = { hosts: ['api.training.test', 'api.platform.test'], name: 'a test', now }

describe('a certificate authority', () => {
  it('issues a certificate for its hosts, and for no others', () => {
    const { authority, server } = issueCertificate(options)
    const [issued, owner] = [new X509Certificate(server.cert), new X509Certificate(authority)]
    expect(issued.checkIssued(owner)).toBe(true)
    expect(issued.verify(owner.publicKey)).toBe(true)
    expect(issued.checkHost('api.platform.test')).toBe('api.platform.test')
    expect(issued.checkHost('elsewhere.test')).toBeUndefined()
    expect([owner.ca, issued.ca]).toEqual([true, false])
    expect(() => createSecureContext(server)).not.toThrow()
  })

  it('is valid for weeks, and from the day before, because clocks differ', () => {
    const certificate = new X509Certificate(issueCertificate(options).authority)
    expect(new Date(certificate.validFrom).toISOString()).toBe('2026-11-25T12:00:00.000Z')
    expect(new Date(certificate.validTo).toISOString()).toBe('2027-02-24T12:00:00.000Z')
  })

  it('has a date after 2049 in the longer form', () => {
    const certificate = issueCertificate({ ...options, now: Date.parse('2049-12-01T00:00:00Z') })
    expect(new X509Certificate(certificate.authority).validTo).toBe('Mar  1 00:00:00 2050 GMT')
  })

  it('is another one each time', () => {
    const [one, other] = [issueCertificate(options), issueCertificate(options)]
    expect(
      new X509Certificate(other.server.cert).verify(new X509Certificate(one.authority).publicKey),
    ).toBe(false)
    expect(new X509Certificate(other.authority).serialNumber).not.toBe(
      new X509Certificate(one.authority).serialNumber,
    )
  })

  it.skipIf(!has('openssl'))('passes the strict check of OpenSSL', () => {
    const folder = temporaryFolder()
    const { authority, server } = issueCertificate(options)
    writeFileSync(join(folder, 'authority.pem'), authority)
    writeFileSync(join(folder, 'server.pem'), server.cert)
    const at = ['-attime', String(now / 1000), '-verify_hostname', 'api.training.test']
    const files = ['-CAfile', join(folder, 'authority.pem'), join(folder, 'server.pem')]
    const ran = spawnSync('openssl', ['verify', '-x509_strict', '-check_ss_sig', ...at, ...files])
    expect(String(ran.stderr) + String(ran.stdout)).toMatch(/server\.pem: OK/)
  })
})
