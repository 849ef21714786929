/** What was called a protocol is a study: tables, kinds of files and of links. */
export const studiesByName = {
  version: 16,
  sql: `
ALTER TABLE own_protocols RENAME TO own_studies;
ALTER TABLE protocol_runs RENAME TO study_runs;
ALTER TABLE study_runs RENAME COLUMN protocol_id TO study_id;
UPDATE own_studies SET file_json = json_set(file_json, '$.kind', 'mqttlab study')
  WHERE json_valid(file_json) AND json_extract(file_json, '$.kind') = 'mqttlab protocol';
UPDATE study_runs SET file_json = json_set(file_json, '$.kind', 'mqttlab study')
  WHERE json_valid(file_json) AND json_extract(file_json, '$.kind') = 'mqttlab protocol';
UPDATE shares SET kind = 'study', subject_json = json_object(
    'kind', 'study', 'studyRunId', json_extract(subject_json, '$.protocolRunId'),
    'flagged', json(iif(json_extract(subject_json, '$.flagged'), 'true', 'false')))
  WHERE kind = 'protocol' AND json_valid(subject_json);
`,
};
