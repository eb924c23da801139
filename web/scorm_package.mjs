/** A figure or a lesson as a SCORM package: the files that belong into its zip. */
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

const kFiles = 'id="files-data">{'; // what it carries begins

const kHeads = {
  '1.2': {
    schema: '1.2', adlcp: 'adlcp:scormtype="sco"',
    names: 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"',
  },
  2004: {
    schema: '2004 4th Edition', adlcp: 'adlcp:scormType="sco"',
    names: 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"',
  },
};

/** single.html with another language in it; `packed`: languages/NAME/packed.txt of the site. */
export function withLanguage(single, packed) {
  if (!single.includes(kFiles)) throw new Error('single.html is of another version of this program');
  return single.replace(kFiles, () => `${kFiles}"language":${JSON.stringify(packed)},`);
}

/** `version`: 1.2 or 2004; `query`: what is opened, "?lesson=capacity"; `launcher`, `single`: scorm.html and single.html of the site. */
export function scormFiles({ version, query, title, launcher, single }) {
  const head = kHeads[version];
  if (!head) throw new Error(`SCORM ${version} is neither 1.2 nor 2004.`);
  const id = `kappaflow-${query.replace(/\W+/g, '-').replace(/^-|-$/g, '').slice(0, 80)}`;
  const manifest = `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="${id}" version="1" ${head.names}>
  <metadata><schema>ADL SCORM</schema><schemaversion>${head.schema}</schemaversion></metadata>
  <organizations default="course">
    <organization identifier="course"><title>${escape(title)}</title><item identifier="item" identifierref="program"><title>${escape(title)}</title></item></organization>
  </organizations>
  <resources>
    <resource identifier="program" type="webcontent" ${head.adlcp} href="index.html"><file href="index.html"/><file href="single.html"/></resource>
  </resources>
</manifest>
`;
  const start = launcher.replaceAll('{{title}}', () => escape(title)).replace('{{query}}', () => JSON.stringify(query).replaceAll('<', '\\u003c'));
  return { 'imsmanifest.xml': manifest, 'index.html': start, 'single.html': single };
}
