// THIRD-PARTY-NOTICES and sbom.cdx.json of the package: the same packages, for people and for programs. The same tree
// makes the same bytes.
import { writeFileSync } from 'node:fs';

export const NOTICES = 'dist/THIRD-PARTY-NOTICES';
export const SBOM = 'dist/sbom.cdx.json';

const RULE = '-'.repeat(80);

export function writeNotices(parties, manifest) {
  writeFileSync(NOTICES, noticesOf(parties));
  writeFileSync(SBOM, `${JSON.stringify(sbomOf(parties, manifest), null, 2)}\n`);
}

function noticesOf(parties) {
  const introduction = [
    'Holdfast contains code and data of the packages below, under their own licences.',
    `${parties.length} packages, by name. sbom.cdx.json lists the same ones for programs.`,
  ].join('\n');
  const sections = parties.map(({ name, version, licence, text, within }) => {
    const origin = within === undefined ? '' : ` (contained in ${within})`;
    return `${RULE}\n${name} ${version}${origin}\nLicence: ${licence}\n\n${text}\n`;
  });
  return `${introduction}\n\n${sections.join('\n')}`;
}

/** CycloneDX 1.6, without a serial number or a time: they would make every build another one. */
function sbomOf(parties, { name, version, license, dependencies }) {
  const ownRef = purlOf({ name, version });
  const components = parties.map(({ licence, ...party }) => ({
    type: 'library',
    'bom-ref': purlOf(party),
    name: party.name,
    version: party.version,
    licenses: [licenceIn(licence)],
    purl: purlOf(party),
    properties: [{ name: 'holdfast:bundled', value: 'true' }],
  }));
  const external = Object.entries(dependencies).map(([dependency, range]) => ({
    name: `holdfast:dependency:${dependency}`,
    value: range,
  }));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ownRef,
        name,
        version,
        licenses: [licenceIn(license)],
        purl: ownRef,
        properties: external,
      },
    },
    components,
    dependencies: [
      { ref: ownRef, dependsOn: components.map((component) => component['bom-ref']) },
      ...components.map((component) => ({ ref: component['bom-ref'] })),
    ],
  };
}

function licenceIn(licence) {
  return /[ (]/.test(licence) ? { expression: licence } : { license: { id: licence } };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}
