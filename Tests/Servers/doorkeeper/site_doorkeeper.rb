# Doorkeeper as an OpenID provider, a Rails application in one file: site_doorkeeper.rb STATE PORT SECONDS
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "doorkeeper"
require "doorkeeper/openid_connect"
require "puma"
require "puma/server"

STATE, PORT, SECONDS = ARGV
# The client whose tokens have no end, and that nothing renews.
LASTING = "flowrun-lasting"
CLIENTS = [
  { uid: "flowrun", secret: "flowrun-secret", scopes: "openid profile email read" },
  { uid: "flowrun-public", confidential: false },
  { uid: LASTING, secret: "flowrun/secret+%41:=" },
].freeze

# The page as it comes forgets these two, which everybody who runs Doorkeeper has to mend.
page = "app/views/doorkeeper/authorizations/new.html.erb"
consent = File.read("#{Doorkeeper::Engine.root}/#{page}")
FileUtils.mkdir_p(File.dirname("#{STATE}/#{page}"))
File.write("#{STATE}/#{page}", consent.gsub("<%= submit_tag", <<~'FIELDS'.chomp))
  <%= hidden_field_tag :nonce, @pre_auth.nonce %>
  <%= hidden_field_tag :response_mode, @pre_auth.response_mode %>
  <%= submit_tag
FIELDS

ENV["DATABASE_URL"] = "sqlite3:#{STATE}/db.sqlite3?timeout=30000"

class Site < Rails::Application
  config.root = STATE
  config.load_defaults 6.1
  config.eager_load = false
  config.cache_classes = true
  config.secret_key_base = "not-a-secret" * 5
  config.logger = ActiveSupport::Logger.new($stderr)
  config.log_level = :info
  # One request at a time: SQLite knows no other lock.
  config.allow_concurrency = false
end

class Person < ActiveRecord::Base
end

Doorkeeper.configure do
  orm :active_record
  default_scopes :openid
  optional_scopes :profile, :email, :read, :write
  grant_flows %w[authorization_code client_credentials]
  use_refresh_token { |context| context.client.uid != LASTING }
  custom_access_token_expires_in do |context|
    context.client.uid == LASTING ? Float::INFINITY : SECONDS.to_i
  end
  force_ssl_in_redirect_uri false
  resource_owner_authenticator do
    # What it returns is taken for somebody, even when that is a redirection.
    Person.find_by(id: session[:person]) || (redirect_to(sign_in_path(to: request.fullpath)) && nil)
  end
end

Doorkeeper::OpenidConnect.configure do
  issuer "http://127.0.0.1:#{PORT}"
  signing_key File.read("#{STATE}/key.pem")
  protocol { :http }
  resource_owner_from_access_token { |token| Person.find_by(id: token.resource_owner_id) }
  auth_time_from_resource_owner(&:signed_in_at)
  reauthenticate_resource_owner { |_, to| redirect_to(sign_in_path(to: to)) }
  subject { |person| person.id }
  claims do
    claim(:name, scope: :profile) { |person| person.name }
    claim(:email, scope: :email, response: %i[id_token user_info]) { |person| person.email }
    claim(:email_verified, scope: :email) { true }
  end
end

Site.initialize!

class SignInController < ActionController::Base
  def show
    render inline: <<~PAGE
      <%= form_tag do %>
        <%= hidden_field_tag :to, params[:to] %>
        <%= text_field_tag :email %>
        <%= password_field_tag :password %>
      <% end %>
    PAGE
  end

  def create
    person = Person.find_by(email: params[:email], password: params[:password])
    return head :unauthorized unless person

    person.update!(signed_in_at: Time.now)
    session[:person] = person.id
    redirect_to params[:to]
  end
end

Site.routes.draw do
  use_doorkeeper { skip_controllers :applications, :authorized_applications }
  use_doorkeeper_openid_connect
  resource :sign_in, only: %i[show create], path: "sign-in", controller: :sign_in
end

# migrate GEM TEMPLATE: the tables, as Doorkeeper's own generators would write them.
def migrate(name, template)
  file = Dir["#{Gem.loaded_specs.fetch(name).full_gem_path}/lib/generators/**/#{template}.rb.erb"].first
  source = ERB.new(File.read(file)).result_with_hash(migration_version: "[6.1]")
  eval(source)
  Object.const_get(source[/class (\w+)/, 1]).new.migrate(:up)
end

unless Person.table_exists?
  ActiveRecord::Migration.verbose = false
  ActiveRecord::Base.transaction do
    ActiveRecord::Schema.define do
      create_table :people do |table|
        table.string :name, :email, :password
        table.datetime :signed_in_at
      end
    end
    migrate("doorkeeper", "migration")
    migrate("doorkeeper", "enable_pkce_migration")
    migrate("doorkeeper-openid_connect", "migration")
    Person.create!(name: "Alice Example", email: "alice@example.test", password: "alice-password")
    CLIENTS.each do |client|
      Doorkeeper::Application.create!(name: client[:uid], redirect_uri: "http://127.0.0.1/callback", **client)
    end
  end
end

server = Puma::Server.new(Site)
server.add_tcp_listener("127.0.0.1", PORT.to_i)
server.run.join
