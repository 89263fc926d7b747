//! What rmcp calls: one method per method of the protocol, and no decisions.

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, GetTaskParams, GetTaskResult,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::client::{Client, is_stateless};
use super::{INSTRUCTIONS, McpServer, SCRIPT_INSTRUCTIONS, resources, tasks};

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_tasks()
            .build();
        let implementation = Implementation::new("bashful", bashful_engine::VERSION)
            .with_title("Bashful: the shell that asks first");
        let more = if self.lists_scripts() {
            SCRIPT_INSTRUCTIONS
        } else {
            ""
        };
        let instructions = format!("{INSTRUCTIONS}{more}");
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(instructions)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        // Extensions came with the generation that has no sessions.
        result.capabilities.extensions = None;
        self.get_ready();
        // In that one, a client is told of nothing that it does not subscribe to.
        if let Some(tools) = &mut result.capabilities.tools {
            tools.list_changed = (!self.inner.options.all_tools).then_some(true);
        }
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(request.as_ref())?;
        let taste = Client::of(&context).taste;
        Ok(ListToolsResult::with_all_items(self.list(taste)?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.serve_call(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        first_page(request.as_ref())?;
        Ok(ListResourcesResult::with_all_items(resources::list(self)))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![resources::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self, &request.uri).map(Into::into)
    }

    /// There are no prompts, and nothing to complete: rmcp would answer with empty lists.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(no_method("prompts/list"))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_method("completion/complete"))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(self, &request.task_id, &Client::of(&context))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(self, &request.task_id)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(self, &request.task_id).await
    }

    /// What rmcp could not read: a method that there is with parameters that it does not take, or
    /// a method that there is not.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(100).collect();
        let newer = is_stateless(context.protocol_version().as_ref());
        let known = METHODS.contains(&method.as_str())
            || (!newer && METHODS_OF_SESSIONS.contains(&method.as_str()));
        if known {
            let message = format!("the parameters of `{method}` are not what it takes");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(no_method(&method))
    }
}

/// All lists have one page, so no client was given a cursor.
fn first_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("there is no such cursor", None)),
    }
}

fn no_method(method: &str) -> ErrorData {
    let message = format!("there is no method `{}`", method.escape_debug());
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Methods that only the generation with sessions has.
const METHODS_OF_SESSIONS: &[&str] = &["initialize", "ping"];

/// The methods that this server has.
const METHODS: &[&str] = &[
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];
